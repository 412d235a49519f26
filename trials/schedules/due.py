"""On which day a schedule is due. Pure."""

from collections.abc import Mapping
from datetime import date, datetime
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


def quarter_of(now: datetime) -> datetime:
    """Return when the quarter began: from there on an alarm counts, so that old nights hide no new ones."""
    first = (now.month - 1) // 3 * 3 + 1
    return now.replace(month=first, day=1, hour=0, minute=0, second=0, microsecond=0)
