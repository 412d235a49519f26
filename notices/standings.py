"""Whether what people were told of still waits for one, and from whom it is kept for now.

Those apps know that stand above this one: each kind of thing has its teller, wired when its app is ready.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from accounts.models import User


@dataclass(frozen=True, slots=True)
class Standing:
    """How a thing stands: over with the reason, or waiting, perhaps put off until later."""

    over: str = ""
    until: datetime | None = None


Teller = Callable[[int, datetime], Standing]
Keeper = Callable[[User], QuerySet[Any, int]]
_tellers: dict[str, Teller] = {}
_keepers: dict[str, Keeper] = {}


def wire(about: str, teller: Teller) -> None:
    """Have this function say how things of a kind stand."""
    _tellers[about] = teller


def standing(about: str, about_id: int, now: datetime) -> Standing:
    """Return how a thing stands; one that nobody can speak for still waits, so that people hear of it."""
    teller = _tellers.get(about)
    return teller(about_id, now) if teller else Standing()


def wire_keeper(about: str, keeper: Keeper) -> None:
    """Have this function say which things of a kind are kept from a person."""
    _keepers[about] = keeper


def kept_from(user: User, about: str) -> QuerySet[Any, int]:
    """Return the numbers of the things of a kind that this person is not to read about for now."""
    return _keepers[about](user)
