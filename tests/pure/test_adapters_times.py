"""Times as senders write them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from incidents.adapters.reading import Notes
from incidents.adapters.times import read_time

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MS = int(NOON.timestamp() * 1000)


NO_MOMENTS: list[Any] = [
    "yesterday",
    "2026-03-01",
    "2026-03-01T12:00:00",
    "2026-03-01 12:00:00 IST",
    "2026-13-01T12:00:00Z",
    "2026-02-30T12:00:00Z",
    "2026-03-01T25:00:00Z",
    "2026-03-01T12:00:00+99:00",
    "9999-12-31T23:59:59-12:00",
    True,
    [],
    {},
    -5,
    1e300,
    "1" * 20,
    "2026-03-01 12:00:00 CET UTC",
    "\x00",
    "２０２６-03-01T12:00:00Z",
]


def test_what_names_no_moment_is_noted_and_never_becomes_now() -> None:
    for value in NO_MOMENTS:
        notes = Notes()
        assert read_time(value, "startsAt", notes) is None, value
        assert notes.is_partial, value
        assert "startsAt" in notes.sentences()[0], value


@pytest.mark.parametrize(
    "value", [None, "", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+02:00", 0, "1970-01-01T00:00:00Z"]
)
def test_a_senders_zero_is_no_time_and_no_fault(value: Any) -> None:
    notes = Notes()
    assert read_time(value, "endsAt", notes) is None
    assert not notes.is_partial


WAYS_TO_WRITE_NOON: list[Any] = [
    "2026-03-01T12:00:00Z",
    "2026-03-01T12:00:00z",
    "2026-03-01T12:00Z",
    "2026-03-01 12:00:00 UTC",
    "2026-03-01T12:00:00.000000000Z",
    "2026-03-01T12:00:00,0Z",
    "2026-03-01T20:00:00+08:00",
    "2026-03-01T20:00:00+0800",
    "2026-03-01T20:00:00+08",
    "2026-03-01T06:30:00-05:30",
    "2026-03-01T14:00:00 CEST",
    "2026-03-01T13:00:00 CET",
    MS,
    str(MS),
    MS / 1000,
    str(MS // 1000),
    MS * 1000,
    MS * 1_000_000,
    str(MS * 1_000_000),
    "2026-03-01t12:00:00z",
    "2026-03-01 12:00:00 +0000 UTC",
    "2026-03-01 13:00:00.0000001 +0100 CET m=+0.012",
]


def test_every_usual_way_to_write_a_moment_is_read() -> None:
    for value in WAYS_TO_WRITE_NOON:
        notes = Notes()
        assert read_time(value, "startsAt", notes) == NOON, value
        assert notes.sentences() == (), value


def test_nanoseconds_are_cut_to_microseconds() -> None:
    read = read_time("2026-03-01T12:00:00.123456789Z", "startsAt", Notes())
    assert read == NOON.replace(microsecond=123456)
