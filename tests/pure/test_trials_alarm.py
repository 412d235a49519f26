"""The alarm of trials that run each night: it does not cry wolf, and it does bark."""

import random
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import accumulate

import pytest
from django.core.exceptions import ImproperlyConfigured

from incidents.figures.intervals import Rate
from triage import schedulesenv
from trials.schedules import alarms, due

_EASY_AND_HARD = (0.0,) * 12 + (0.5,) * 2  # cases of one set, asked again each night
_LIMIT = sum(_EASY_AND_HARD) / len(_EASY_AND_HARD)
_QUARTER, _QUARTERS = 92, 400


def _alarmed(chance: random.Random, cases: tuple[float, ...]) -> int | None:
    """Return the night of the first alarm in a quarter, or None."""
    nights = (sum(chance.random() < each for each in cases) for _ in range(_QUARTER))
    for night, hits in enumerate(accumulate(nights), start=1):
        if alarms.is_alarming(Rate(hits, night * len(cases)), _LIMIT):
            return night
    return None


def test_an_agent_at_its_limit_looked_at_each_night_seldom_raises_an_alarm() -> None:
    chance = random.Random(20)
    false = sum(_alarmed(chance, _EASY_AND_HARD) is not None for _ in range(_QUARTERS))
    assert false / _QUARTERS < alarms.LEVEL / 2


def test_an_agent_thrice_as_bad_is_noticed_within_weeks() -> None:
    chance = random.Random(21)
    found = [_alarmed(chance, tuple(min(1.0, each + 0.15) for each in _EASY_AND_HARD)) for _ in range(50)]
    assert all(night is not None and night <= 28 for night in found)


def test_nothing_counted_is_no_alarm() -> None:
    assert not alarms.is_alarming(Rate(0, 0), 0.05)
    assert not alarms.is_alarming(Rate(0, 5_000), 0.05)


def test_the_quarter_begins_with_its_first_month() -> None:
    assert due.quarter_of(datetime(2026, 12, 31, 23, 5, tzinfo=UTC)) == datetime(2026, 10, 1, tzinfo=UTC)
    assert due.quarter_of(datetime(2026, 1, 1, tzinfo=UTC)) == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("TRIAL_NIGHTLY_HOUR", "24", schedulesenv.nightly),
        ("TRIAL_NIGHTLY_CAP", "-1", schedulesenv.nightly),
        ("TRIAL_NIGHTLY_WRONG", "5", schedulesenv.nightly),
        ("DRILL_WEEKLY_DAY", "someday", schedulesenv.weekly),
        ("DRILL_WEEKLY_HOUR", "three", schedulesenv.weekly),
    ],
)
def test_a_setting_that_cannot_be_names_itself(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, read: Callable[[], object]
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=name):
        read()
