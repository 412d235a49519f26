"""On which day a schedule is due. Pure."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any


class Skipped(Exception):
    """It does not run this time; the message says why, in a sentence, and what to do."""


class Ended(Exception):
    """It ended before its last run; the message says why."""


def due(given: Mapping[str, Any], now: datetime) -> date | None:
    """Return the day for which a schedule is due: today, once its hour has come. All in UTC.

    A day whose hour was slept through is made up for until midnight, and then no more.
    """
    if given["hour"] is None or now.hour < given["hour"]:
        return None
    if given["day"] is not None and now.weekday() != given["day"]:
        return None
    return now.date()


def next_due(given: Mapping[str, Any], now: datetime, last: date | None) -> datetime | None:
    """Return when a schedule is due next, where `last` is the day it was begun for; None where it is off.

    What was due today and was not begun yet is due at its hour of today, though that is over.
    """
    if given["hour"] is None:
        return None
    days = (now.date() + timedelta(days=ahead) for ahead in range(9))
    day = next(day for day in days if given["day"] in (None, day.weekday()) and day != last)
    return datetime(day.year, day.month, day.day, given["hour"], tzinfo=UTC)


def quarter_of(now: datetime) -> datetime:
    """Return when the quarter began: from there on an alarm counts, so that old nights hide no new ones."""
    first = (now.month - 1) // 3 * 3 + 1
    return now.replace(month=first, day=1, hour=0, minute=0, second=0, microsecond=0)
