"""What a place of publication is, and how it fails."""

from collections.abc import Sequence
from typing import Protocol


class PlaceUnknown(ValueError):
    """A text in AUDIT_PLACES names no place; the message says which forms there are."""


class PlaceFailed(Exception):
    """A place could not be reached or would not take a checkpoint. It is tried again."""


class PlaceDiverged(Exception):
    """A place holds what this log never signed, or what it no longer holds. A person has to look."""


class Place(Protocol):
    """One place. `name` is shown and stored: it holds no secret. `every`: seconds between publications."""

    @property
    def name(self) -> str: ...

    @property
    def every(self) -> int: ...

    @property
    def can_be_read(self) -> bool: ...

    def last(self) -> str | None:
        """Return the newest checkpoint there, None where there is none. Raises PlaceFailed."""

    def read(self) -> Sequence[str]:
        """Return every checkpoint there. Raises PlaceFailed."""

    def publish(self, note: str) -> str:
        """Put a checkpoint there; return what to record about it. Raises PlaceFailed, PlaceDiverged."""
