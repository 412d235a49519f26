"""Times and durations in words."""

from datetime import UTC, datetime, timedelta

_STEPS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def utc_text(moment: datetime) -> str:
    """Return a time as people read it, in UTC: `30 Nov 2026 10:15:07 UTC`."""
    at = moment.astimezone(UTC)
    return f"{at.day} {at:%b %Y %H:%M:%S} UTC"


def short_text(moment: datetime, now: datetime) -> str:
    """Return a time for a dense place, in UTC; the year only where it is another one."""
    at = moment.astimezone(UTC)
    year = "" if at.year == now.astimezone(UTC).year else f" {at.year}"
    return f"{at.day} {at:%b}{year} {at:%H:%M} UTC"


def clock_text(moment: datetime, now: datetime) -> str:
    """Return a time to the second, in UTC; without its day where that is today."""
    at, today = moment.astimezone(UTC), now.astimezone(UTC).date()
    return f"{at:%H:%M:%S} UTC" if at.date() == today else utc_text(at)


def span(length: timedelta) -> str:
    """Return a duration by its largest unit: `40 s`, `12 min`, `5 h`, `3 d`; never negative."""
    seconds = max(0, int(length.total_seconds()))
    for size, unit in _STEPS:
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return "0 s"
