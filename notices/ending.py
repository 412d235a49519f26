"""How one try ended. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ended:
    """Whether it was taken, what was said; whether no other try makes sense, and the address is gone."""

    is_taken: bool
    said: str
    is_final: bool = False
    is_gone: bool = False
