"""Whether what people were told of still waits for one. Those apps know that stand above this one.

Each kind of thing has its teller, wired when its app is ready.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Standing:
    """How a thing stands: over with the reason, or waiting, perhaps put off until later."""

    over: str = ""
    until: datetime | None = None


Teller = Callable[[int, datetime], Standing]
_tellers: dict[str, Teller] = {}


def wire(about: str, teller: Teller) -> None:
    """Have this function say how things of a kind stand."""
    _tellers[about] = teller


def standing(about: str, about_id: int, now: datetime) -> Standing:
    """Return how a thing stands; one that nobody can speak for still waits, so that people hear of it."""
    teller = _tellers.get(about)
    return teller(about_id, now) if teller else Standing()
