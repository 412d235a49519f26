"""The figures of a draft: a number counts as quoted where an entry that the draft cites holds it. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from assay_core.instants import NotAnInstant, from_text
from assay_core.results import Status
from verdicts.case import Entry, Subject

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TOKEN = re.compile(
    r"(?P<instant>\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)?)?(?![\w-]))"
    r"|(?P<date>\b\d{1,2}\.? (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{4}\b)"
    r"|(?P<clock>(?<![\w.:-])\d{1,2}:\d\d(?::\d\d)?(?![\w:]))"
    r"|(?P<number>(?<![\w.,:/@#-])[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?P<unit>\s?%|\s?[a-zµ]{1,3}\b)?(?![\w:/]|[.,]\d)",
    re.IGNORECASE,
)
# What counts the lines of a list says nothing of the evidence.
_LIST_MARK = re.compile(r"^[ \t]*\d{1,3}[.)](?=\s)", re.MULTILINE)
_IN_TEXT = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
_MOST_DIGITS = 40
_MOST_PLACES = 6
_LARGEST_ROUNDED = Decimal(10) ** 15


@dataclass(frozen=True, slots=True)
class Figure:
    """One number, date or time of a draft that stands in nothing it cites."""

    text: str
    start: int
    end: int


class Known:
    """What may be quoted: every number and moment of some entries and of the subject."""

    def __init__(self, subject: Subject, entries: Iterable[Entry]) -> None:
        self._numbers: set[Decimal] = set()
        self._rounded: dict[tuple[int, Decimal], set[Decimal]] = {}
        self._moments: set[datetime] = {subject.started_at, subject.received_at}
        self._take([subject.title, subject.labels, subject.annotations, subject.identifiers])
        for entry in entries:
            self._moments |= {entry.called_at, entry.finished_at}
            self._take([entry.result, entry.covered, _lengths(entry)])

    def holds(self, token: re.Match[str]) -> bool:
        """Say whether a token of a draft is quoted: as it is, rounded, or in the unit written beside it."""
        if token["instant"]:
            return self._holds_instant(token["instant"])
        if token["date"]:
            return self._holds_date(token["date"])
        if token["clock"]:
            return any(f"{each:%H:%M:%S}".startswith(token["clock"].rjust(5, "0")) for each in self._moments)
        return self._holds_number(token["number"], (token["unit"] or "").strip().lower())

    def _holds_instant(self, text: str) -> bool:
        written = text.replace(" ", "T").removesuffix("Z").removesuffix("+00:00").rstrip("0").rstrip(".:")
        return any(each.isoformat().removesuffix("+00:00").startswith(written) for each in self._moments)

    def _holds_date(self, text: str) -> bool:
        day, month, year = text.replace(".", "").split()
        wanted = (int(year), _MONTHS.index(month[:3].lower()) + 1, int(day))
        return any((each.year, each.month, each.day) == wanted for each in self._moments)

    def _holds_number(self, text: str, unit: str) -> bool:
        number = _decimal(text.replace(",", "").replace("−", "-"))
        if number is None:
            return False
        places = -int(number.as_tuple().exponent)
        factors = [Decimal(1), *_FACTORS.get(unit, ())]
        if places == 2:
            factors.append(Decimal(100))  # money is kept in its smallest unit
        if any(number * factor in self._numbers for factor in factors):
            return True
        return 0 < places <= _MOST_PLACES and any(
            number in self._rounded_to(places, factor) for factor in factors[:2]
        )

    def _rounded_to(self, places: int, factor: Decimal) -> set[Decimal]:
        """Return what is known, rounded; made once, since an answer may hold thousands of numbers."""
        if (places, factor) not in self._rounded:
            self._rounded[places, factor] = {
                round(known / factor, places) for known in self._numbers if abs(known) < _LARGEST_ROUNDED
            }
        return self._rounded[places, factor]

    def _take(self, value: Any) -> None:
        for leaf in leaves(value):
            if isinstance(leaf, bool) or leaf is None:
                continue
            if isinstance(leaf, int | float):
                self._add(str(leaf))
                continue
            for found in _IN_TEXT.findall(leaf):
                self._add(found)
            try:
                self._moments.add(from_text(leaf))
            except NotAnInstant:
                continue

    def _add(self, text: str) -> None:
        number = _decimal(text)
        if number is not None:
            self._numbers.add(number)


_FACTORS: Mapping[str, Sequence[Decimal]] = {
    "%": (Decimal("0.01"),),
    "ms": (Decimal(1000),),
    "s": (Decimal(1000), Decimal(1_000_000)),
    "sec": (Decimal(1000), Decimal(1_000_000)),
}


def unsupported(text: str, known: Known, *, but: Sequence[tuple[int, int]] = ()) -> tuple[Figure, ...]:
    """Return the figures that are quoted from nothing; what stands in the spans of `but` is no figure."""
    skipped = [*but, *(match.span() for match in _LIST_MARK.finditer(text))]
    return tuple(
        Figure(text[start:end], start, end)
        for token in _TOKEN.finditer(text)
        for start, end in (_span(token),)
        if not any(start < other_end and end > other for other, other_end in skipped)
        and not known.holds(token)
    )


def leaves(value: Any) -> Iterator[Any]:
    """Return every value that holds no others, and the names of fields, one by one."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            waiting.extend(part.keys())
            waiting.extend(part.values())
        elif isinstance(part, list | tuple):
            waiting.extend(part)
        else:
            yield part


def _span(token: re.Match[str]) -> tuple[int, int]:
    return token.span("number") if token["number"] else token.span()


def _lengths(entry: Entry) -> list[int]:
    """Return how long the lists of a whole answer are: to count what it holds is to quote it."""
    if entry.status is Status.TRUNCATED or not isinstance(entry.result, Mapping):
        return []
    return [len(part) for part in entry.result.values() if isinstance(part, list)]


def _decimal(text: str) -> Decimal | None:
    if len(text) > _MOST_DIGITS:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
