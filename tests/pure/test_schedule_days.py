"""When a schedule is due next."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from trials.schedules.due import next_due

SUNDAY = date(2026, 8, 2)


def at(day: int, hour: int) -> datetime:
    return datetime(2026, 8, day, hour, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("weekday", "now", "last", "day"),
    [
        (None, at(2, 1), None, 2),  # later today
        (None, at(2, 4), None, 2),  # its hour is over and nothing was begun: it is made up for
        (None, at(2, 4), SUNDAY, 3),
        (6, at(2, 4), SUNDAY, 9),
        (6, at(3, 4), SUNDAY, 9),
        (6, at(2, 1), None, 2),
    ],
)
def test_the_next_day_is_today_until_it_was_begun(
    weekday: int | None, now: datetime, last: date | None, day: int
) -> None:
    given: dict[str, Any] = {"hour": 3, "day": weekday}
    assert next_due(given, now, last) == datetime(2026, 8, day, 3, tzinfo=UTC)


def test_what_is_off_is_never_due() -> None:
    assert next_due({"hour": None, "day": None}, at(2, 1), None) is None
