"""What a reader of the figures asks for, as the address has it: a span of days, filters, a grouping. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import urlencode

SPANS = (7, 28, 91, 365)
LONGEST = 400
GROUPS = ("source", "team", "service", "rule", "kind", "week")
FILTERS = ("source", "team", "service", "rule", "kind")
_NUMBERED = ("source", "team")
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A span of whole days, both ends included, in UTC; values by dimension; what to group by."""

    first: date
    last: date
    filters: Mapping[str, str]
    group: str

    @property
    def days(self) -> int:
        """How many days the span has."""
        return (self.last - self.first).days + 1

    @property
    def before(self) -> tuple[date, date]:
        """The span of as many days that ends where this one begins."""
        return self.first - timedelta(days=self.days), self.first - timedelta(days=1)

    @property
    def query(self) -> str:
        """The address's query that asks for just this."""
        parts = {
            "from": self.first.isoformat(),
            "to": self.last.isoformat(),
            **self.filters,
            "by": self.group,
        }
        return urlencode(parts)


def wanted(query: Mapping[str, str], today: date) -> tuple[Wanted, Sequence[str]]:
    """Read an address's query. What can't be read is left out, each with a sentence that says so."""
    notes: list[str] = []
    last = _day(query.get("to", ""), today, notes)
    span = query.get("span", "")
    back = int(span) if _NUMBER.fullmatch(span) and int(span) in SPANS else 28
    first = _day(query.get("from", ""), last - timedelta(days=back - 1), notes)
    if first > last:
        notes.append("The first day lay after the last one: they are shown the other way round.")
        first, last = last, first
    if (last - first).days >= LONGEST:
        notes.append(f"At most {LONGEST} days are shown at once.")
        first = last - timedelta(days=LONGEST - 1)
    filters = {}
    for name in FILTERS:
        value = query.get(name, "").strip()
        if not value:
            continue
        if "\0" in value or len(value) > 120 or (name in _NUMBERED and not _NUMBER.fullmatch(value)):
            notes.append(f"There is no {name} like that; the figures are of all.")
            continue
        filters[name] = value
    group = query.get("by", "")
    return Wanted(first, last, filters, group if group in GROUPS else "rule"), notes


def _day(text: str, otherwise: date, notes: list[str]) -> date:
    if not text:
        return otherwise
    try:
        found = date.fromisoformat(text)
    except ValueError:
        notes.append("A day is written as 2026-11-30; another one was taken.")
        return otherwise
    if not 2000 <= found.year <= 2200:
        notes.append("That day is too far away; another one was taken.")
        return otherwise
    return found
