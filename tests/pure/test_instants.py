"""Times: aware in, one UTC text out; anything that names no point in time is refused."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_core.instants import NotAnInstant, as_text, from_text, typed

AWARE = st.datetimes(
    min_value=datetime(1, 1, 3),
    max_value=datetime(9999, 12, 29),
    timezones=st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-07-01",
        "2026-07-01T10:00:00",
        "1782900000",
        "2026-13-01T00:00:00Z",
        "2026-07-01T10:00:00 CEST",
    ],
)
def test_a_text_that_names_no_point_in_time_is_refused(text: str) -> None:
    with pytest.raises(NotAnInstant):
        from_text(text)


def test_the_edge_of_the_calendar_is_refused_and_not_wrapped() -> None:
    with pytest.raises(NotAnInstant, match="outside the calendar"):
        from_text("0001-01-01T00:00:00+05:00")
    with pytest.raises(NotAnInstant, match="outside the calendar"):
        as_text(datetime.max.replace(tzinfo=timezone(timedelta(hours=-5))))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-07-01", datetime(2026, 7, 1, tzinfo=UTC)),
        (" 2026-07-01 10:05 ", datetime(2026, 7, 1, 10, 5, tzinfo=UTC)),
        ("2026-07-01T10:05+02:00", datetime(2026, 7, 1, 8, 5, tzinfo=UTC)),
    ],
)
def test_what_people_type_is_of_utc_where_it_names_no_zone(text: str, moment: datetime) -> None:
    assert typed(text) == moment


@pytest.mark.parametrize("text", ["", "now", "0001-01-01T00:00+05:00", "9999-12-31T23:59-01:00"])
def test_what_people_type_and_no_calendar_has_is_refused(text: str) -> None:
    with pytest.raises(NotAnInstant):
        typed(text)


class NoZone(tzinfo):
    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        return None

    def dst(self, moment: datetime | None) -> timedelta | None:
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        return None


def test_a_naive_time_is_refused() -> None:
    for moment in (datetime(2026, 7, 1), datetime(2026, 7, 1, tzinfo=NoZone())):
        with pytest.raises(NotAnInstant, match="no time zone"):
            as_text(moment)


@given(AWARE, AWARE)
def test_texts_read_back_and_sort_as_the_times_do(one: datetime, other: datetime) -> None:
    assert from_text(as_text(one)) == one
    assert from_text(as_text(one)).tzinfo is UTC
    assert (as_text(one) < as_text(other)) is (one < other)


@given(AWARE)
def test_the_text_is_what_isoformat_writes(moment: datetime) -> None:
    written = moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    assert as_text(moment) == as_text(moment.astimezone(UTC)) == written
    assert from_text(written) == moment
