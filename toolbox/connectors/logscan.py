"""One pass over log lines: which lie in the window and the place, which match, which could not be read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from assay_core.canonical import canonical
from assay_core.instants import NotAnInstant, as_text, from_text
from toolbox.connectors.logfiles import LONGEST_LINE
from toolbox.definitions import Limits, LogQuestion
from toolbox.values import Cleaner, ValueUnreadable, strict_json

PLACES = ("tenant", "service")


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched: `places` and `tests` pair each field of a line with the wanted text."""

    since: datetime
    until: datetime
    time_field: str
    places: tuple[tuple[str, str, str], ...]
    tests: tuple[tuple[str, str, str], ...]
    count: bool
    limits: Limits

    @classmethod
    def of(
        cls,
        question: LogQuestion,
        arguments: Mapping[str, Any],
        *,
        window: tuple[datetime, datetime],
        fields: Mapping[str, str],
        limits: Limits,
    ) -> "Search":
        """Bring conditions and arguments together; one whose argument was left out demands nothing."""
        demands = [
            (
                condition.test,
                fields.get(condition.field, condition.field),
                _as_text(arguments[condition.argument]),
            )
            for condition in question.where
            if arguments.get(condition.argument) is not None
        ]
        names = {fields.get(place, place) for place in PLACES}
        is_place = [test == "equals" and name in names for test, name, _ in demands]
        return cls(
            since=window[0],
            until=window[1],
            time_field=fields.get("ts", "ts"),
            places=tuple(demand for demand, chosen in zip(demands, is_place, strict=True) if chosen),
            tests=tuple(demand for demand, chosen in zip(demands, is_place, strict=True) if not chosen),
            count=question.count,
            limits=limits,
        )


@dataclass(slots=True)
class Tally:
    """What a pass has counted so far."""

    lines_in_window: int = 0
    lines_scanned: int = 0
    match_count: int = 0
    broken_lines: int = 0
    unreadable_lines: int = 0
    oldest: datetime | None = None
    first: datetime | None = None
    last: datetime | None = None
    place_lines: dict[str, int] = field(default_factory=dict)
    kept: list[tuple[datetime, dict[str, Any]]] = field(default_factory=list)
    kept_bytes: int = 256
    full: bool = False
    # Broken lines that may be what was searched. Those since the last line with a time wait for the next one.
    doubtful_lines: int = 0
    _waiting: int = 0
    _before: datetime | None = None
    cleaner: Cleaner = field(default_factory=Cleaner)

    def take(self, line: bytes, search: Search) -> None:
        """Count one line."""
        if not line.strip():
            return
        record, moment = _read(line, search.time_field)
        if record is None or moment is None:
            # A last line without its end is still being written.
            if line.endswith(b"\n") or len(line) >= LONGEST_LINE:
                self.broken_lines += 1
                self._waiting += _may_be_meant(line, search)
            return
        self._settle(search, moment)
        self.oldest = moment if self.oldest is None else min(self.oldest, moment)
        if not search.since <= moment <= search.until:
            return
        self.lines_in_window += 1
        if not self._is_in_place(record, search):
            return
        found = [(test, _as_text(record.get(name)), wanted) for test, name, wanted in search.tests]
        if any(value is None for _, value, _ in found):
            # Without the field that is searched, a line proves nothing about what it would have said.
            self.unreadable_lines += 1
            return
        self.lines_scanned += 1
        self.first = moment if self.first is None else min(self.first, moment)
        self.last = moment if self.last is None else max(self.last, moment)
        if all(value is not None and _holds(test, value, wanted) for test, value, wanted in found):
            self.match_count += 1
            if not search.count:
                self._keep(moment, record, search.limits)

    def end_of_file(self, search: Search) -> None:
        """Count what waited for a line that did not come."""
        self._settle(search, None)
        self._before = None

    def _settle(self, search: Search, after: datetime | None) -> None:
        """Count the broken lines before this moment, unless the lines around them lie outside the window."""
        is_earlier = after is not None and after < search.since
        is_later = self._before is not None and self._before > search.until
        if not (is_earlier or is_later):
            self.doubtful_lines += self._waiting
        self._waiting, self._before = 0, after

    def _is_in_place(self, record: Mapping[str, Any], search: Search) -> bool:
        inside = True
        for _, name, wanted in search.places:
            if _as_text(record.get(name)) == wanted:
                self.place_lines[name] = self.place_lines.get(name, 0) + 1
            else:
                inside = False
        return inside

    def _keep(self, moment: datetime, record: dict[str, Any], limits: Limits) -> None:
        if self.full:
            return
        cleaned = self.cleaner.clean(record)
        self.kept_bytes += len(canonical(cleaned)) + 1
        if len(self.kept) == limits.rows or self.kept_bytes > limits.bytes:
            self.full = True
            return
        self.kept.append((moment, cleaned))

    def result(self, search: Search, key: str) -> dict[str, Any]:
        """Return the counts, and the lines in the order of their times unless only counting was asked."""
        counted: dict[str, Any] = {
            "match_count": self.match_count,
            "lines_scanned": self.lines_scanned,
            "lines_in_window": self.lines_in_window,
            "broken_lines": self.broken_lines,
            "unreadable_lines": self.unreadable_lines,
            "place_lines": {name: self.place_lines.get(name, 0) for _, name, _ in search.places},
            "first_line_at": as_text(self.first) if self.first else None,
            "last_line_at": as_text(self.last) if self.last else None,
        }
        if not search.count:
            counted[key] = [record for _, record in sorted(self.kept, key=lambda pair: pair[0])]
        return counted


def _read(line: bytes, time_field: str) -> tuple[dict[str, Any] | None, datetime | None]:
    if len(line) >= LONGEST_LINE:
        return None, None
    try:
        record = strict_json(line)
        return (record, from_text(record[time_field])) if isinstance(record, dict) else (None, None)
    except (ValueUnreadable, NotAnInstant, KeyError, TypeError):
        return None, None


def _may_be_meant(line: bytes, search: Search) -> bool:
    """Whether a line that cannot be read holds every text that is searched, plainly or as JSON writes it."""
    if len(line) >= LONGEST_LINE or b"\x00" in line:
        return True  # only its beginning is known, or it is no text in UTF-8 at all
    return all(
        any(form in line for form in _forms(wanted)) for _, _, wanted in (*search.places, *search.tests)
    )


def _forms(wanted: str) -> tuple[bytes, ...]:
    escaped = json.dumps(wanted)[1:-1]
    plain = json.dumps(wanted, ensure_ascii=False)[1:-1]
    forms = {wanted, plain, escaped, escaped.replace("/", "\\/")}
    return tuple(form.encode("utf-8", "surrogatepass") for form in forms)


def _as_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | str) else None


def _holds(test: str, value: str, wanted: str) -> bool:
    return wanted in value if test == "contains" else wanted == value
