"""Times: aware datetimes in, UTC ISO 8601 text out, and back."""

from datetime import UTC, datetime

_TWO = tuple([f"{number:02d}" for number in range(60)])


class NotAnInstant(ValueError):
    """A text does not name one point in time."""


def as_text(moment: datetime) -> str:
    """Return an aware time as UTC ISO 8601 with microseconds and a Z; raise NotAnInstant for a naive one."""
    if moment.tzinfo is UTC and moment.year > 999:
        # What isoformat() writes, at less than half its price: verdicts write thousands of times a second.
        day = f"{moment.year}-{_TWO[moment.month]}-{_TWO[moment.day]}"
        clock = f"{_TWO[moment.hour]}:{_TWO[moment.minute]}:{_TWO[moment.second]}"
        return f"{day}T{clock}.{moment.microsecond:06d}Z"
    if moment.utcoffset() is None:
        raise NotAnInstant(f"{moment.isoformat()} has no time zone")
    return _utc(moment).isoformat(timespec="microseconds").replace("+00:00", "Z")


def from_text(text: str) -> datetime:
    """Read an ISO 8601 time with a zone into UTC; raise NotAnInstant for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise NotAnInstant(f"{text!r} is not an ISO 8601 time") from error
    if moment.tzinfo is UTC:
        return moment
    if moment.tzinfo is None:
        raise NotAnInstant(f"{text!r} has no time zone")
    return _utc(moment)


def typed(text: str) -> datetime:
    """Read a time as people type it and a browser's field sends it: of UTC where it names no zone.

    Raises NotAnInstant.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise NotAnInstant(f"{text!r} is not an ISO 8601 time") from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else _utc(moment)


def _utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise NotAnInstant(f"{moment.isoformat()} lies outside the calendar in UTC") from error
