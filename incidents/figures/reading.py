"""The sums that a page asks for, by one query; by more dimensions than are kept, from the records."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from django.db import connection

from incidents.figures import recordsums
from incidents.figures.blocks import DIMENSIONS, MOST, cover, monday_of, name_of
from incidents.figures.parts import WEEK, Bars, Part
from incidents.figures.tally import Tally

_BRANCH = """
SELECT {number}, first, {value}, body, {resolve}, {stages} FROM incidents_spansum
WHERE by = %s AND length = %s AND first BETWEEN %s AND %s{filters}
"""
_FRESHNESS = """
SELECT (SELECT at FROM incidents_recount WHERE id = 1),
    EXISTS (SELECT FROM incidents_staleincident),
    (SELECT day FROM incidents_record WHERE summed_as = 0 ORDER BY day DESC LIMIT 1)
"""
_VALUES = ("one", "other")


class Freshness(NamedTuple):
    """How far the sums are."""

    counted_at: datetime | None  # None: never yet
    is_waiting: bool  # changes wait to be counted
    filled_after: date | None  # after an upgrade: only days after this one are whole


def read(filters: Mapping[str, str], parts: Sequence[Part], today: date) -> Sequence[Mapping[str, Tally]]:
    """Return for each part its sums by their values, under the filters; a week is named by its Monday."""
    once = list(dict.fromkeys(parts))
    found: list[dict[str, Tally]] = [defaultdict(Tally) for _ in once]
    branches: list[str] = []
    asked: list[Any] = []
    for number, part in enumerate(once):
        if len(_dimensions(filters, part)) > MOST:
            found[number].update(recordsums.sums(filters, part, today))
            continue
        for sql, values in _branches(filters, part, number):
            branches.append(sql)
            asked += values
    if branches:
        with connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(branches), asked)
            for number, first, value, *texts in cursor:
                name = monday_of(first).isoformat() if once[number].by == WEEK else value
                found[number][name].add(Tally.from_texts(*texts))
    return [found[once.index(part)] for part in parts]


def together(sums: Mapping[str, Tally]) -> Tally:
    """Return the sum of several."""
    whole = Tally()
    for tally in sums.values():
        whole.add(tally)
    return whole


def freshness() -> Freshness:
    """Return how far the sums are."""
    with connection.cursor() as cursor:
        cursor.execute(_FRESHNESS)
        return Freshness(*cursor.fetchone())


def _dimensions(filters: Mapping[str, str], part: Part) -> Sequence[str]:
    return [each for each in DIMENSIONS if each in filters or each == part.by]


def _branches(filters: Mapping[str, str], part: Part, number: int) -> Iterator[tuple[str, Sequence[Any]]]:
    columns = dict(zip(_dimensions(filters, part), _VALUES, strict=False))
    words = {
        "number": number,
        "value": columns.get(part.by, "''"),
        "resolve": "resolve" if part.bars >= Bars.RESOLVE else "''",
        "stages": "stages" if part.bars >= Bars.ALL else "''",
        "filters": "".join(f" AND {columns[name]} = %s" for name in filters),
    }
    for block in cover(part.first, part.last):
        yield _BRANCH.format(**words), [name_of(tuple(columns)), *block, *filters.values()]
