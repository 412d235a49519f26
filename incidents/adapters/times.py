"""Times as senders write them, read into UTC or noted. Never replaced by now without a note."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from incidents.adapters import text
from incidents.adapters.reading import Notes

FUTURE_TOLERANCE = timedelta(hours=1)
# Before this a time is a program's zero, not an event: year 1 (Go) and 1970 (Unix).
_EARLIEST = datetime(1971, 1, 1, tzinfo=UTC)
_LATEST = datetime(9000, 1, 1, tzinfo=UTC)
_ISO = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})[Tt ](?P<clock>\d{2}:\d{2}(:\d{2})?)"
    r"(?P<fraction>[.,]\d{1,12})?\s?(?P<zone>Z|z|[A-Za-z]{2,5}|[+-]\d{2}:?\d{2}|[+-]\d{2})?"
    # Go prints the name beside the offset, and at times its own clock.
    r"(?:(?<=\d) [A-Z]{3,5}(?: m=[+\-][\d.]{1,30})?)?"
)
_NUMBER = re.compile(r"\d{9,19}(\.\d{1,9})?")
_UTC_NAMES = frozenset({"Z", "UTC", "GMT"})
# A name of a zone that means one offset only. IST, CST, BST and the like mean several and are noted instead.
_ZONES = {"CET": "+01:00", "CEST": "+02:00", "EET": "+02:00", "EEST": "+03:00", "WEST": "+01:00"}


def read_time(value: Any, where: str, notes: Notes) -> datetime | None:
    """Return an aware UTC time, or None where the sender gave none (or its zero) or none that can be read.

    Reads ISO 8601 with any zone, with or without its colon, fractions of any length, and Unix
    seconds down to nanoseconds as number or text. What cannot be read is noted.
    """
    if value is None or value == "":
        return None
    moment = _read(value)
    if moment is None:
        notes.add(f"{where}: {text.quoted(value, 60)} is not a time that can be read.", partial=True)
        return None
    if moment < _EARLIEST:
        return None
    return moment


def _read(value: Any) -> datetime | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_number(float(value)) if 0 <= value < 1e20 else None
    if not isinstance(value, str):
        return None
    written = value.strip()
    if _NUMBER.fullmatch(written):
        return _from_number(float(written))
    match = _ISO.fullmatch(written)
    return _from_match(match) if match else None


def _from_number(number: float) -> datetime | None:
    """Unix time: seconds up to 11 digits, milliseconds up to 14, microseconds up to 17, else nanoseconds."""
    parts = next((parts for most, parts in ((1e11, 1), (1e14, 1e3), (1e17, 1e6)) if number < most), 1e9)
    seconds = number / parts
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment if moment < _LATEST else None


def _from_match(match: re.Match[str]) -> datetime | None:
    zone = (match["zone"] or "").upper()
    if zone in _UTC_NAMES:
        offset = "+00:00"
    elif zone[:1] in ("+", "-"):
        offset = _with_colon(zone)
    elif zone in _ZONES:
        offset = _ZONES[zone]
    else:
        return None
    clock = match["clock"] if match["clock"].count(":") == 2 else match["clock"] + ":00"
    fraction = "." + (match["fraction"] or ".0")[1:7].ljust(6, "0")
    try:
        moment = datetime.fromisoformat(f"{match['day']}T{clock}{fraction}{offset}")
        if moment.year == 1:  # Go's zero time; in another zone it may lie before the calendar
            return datetime(1, 1, 1, tzinfo=UTC)
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if moment < _LATEST else None


def _with_colon(zone: str) -> str:
    digits = zone[1:].replace(":", "").ljust(4, "0")
    return f"{zone[0]}{digits[:2]}:{digits[2:]}"


def clock_note(starts_at: datetime | None, ends_at: datetime | None, received_at: datetime) -> str:
    """Return what is odd about the sender's clock in one sentence, or nothing."""
    if starts_at is None:
        return "The sender gave no start that can be read; the time of receipt stands in."
    if starts_at > received_at + FUTURE_TOLERANCE:
        ahead = starts_at - received_at
        return f"The sender's clock: the start lies {_spell(ahead)} after the receipt."
    if ends_at is not None and ends_at < starts_at:
        return "The sender's clock: the end lies before the start; no duration can be told."
    return ""


def _spell(span: timedelta) -> str:
    minutes = int(span.total_seconds() // 60)
    hours, minutes = divmod(minutes, 60)
    if hours > 48:
        return f"{hours // 24} days"
    return f"{hours} h {minutes} min"
