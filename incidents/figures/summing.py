"""How records come into the sums: each into those of its day and its week, by each set of dimensions kept."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import NamedTuple

from django.db import connection

from incidents.figures import recording
from incidents.figures.blocks import DAY, DIMENSIONS, KEPT, MOST, NUMBERED, WEEK, monday_of, name_of
from incidents.figures.tally import Tally
from incidents.models import Record

#: Of the sums that are kept. A record says which it is counted in, so that it is counted out of those alone.
SHAPE = 1
_PLACES = [(name_of(each), tuple(DIMENSIONS.index(name) for name in each)) for each in KEPT]
_STANDING = """
SELECT held.id, held.by, held.length, held.first, held.one, held.other, held.body, held.resolve, held.stages
FROM unnest(%s::text[], %s::smallint[], %s::date[], %s::text[], %s::text[])
    AS asked(by, length, first, one, other)
JOIN incidents_spansum AS held USING (by, length, first, one, other)
"""
# As one document: thousands of rows as arrays of texts take longer to write down than to count.
_STORED = """
INSERT INTO incidents_spansum (by, length, first, one, other, body, resolve, stages)
SELECT made.* FROM json_to_recordset(%s) AS made(
    by text, length smallint, first date, one text, other text, body text, resolve text, stages text)
ON CONFLICT (by, length, first, one, other)
DO UPDATE SET body = excluded.body, resolve = excluded.resolve, stages = excluded.stages
"""


class Key(NamedTuple):
    """Which sum: by which dimensions, of how many days from which one, and the dimensions' values."""

    by: str
    length: int
    first: date
    one: str
    other: str


class Steps:
    """What has to be added to which sums.

    Everything that is summed is a whole number, so that what is counted out leaves nothing behind.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._days: dict[Key, Tally] = defaultdict(Tally)

    def note(self, record: Record, sign: int) -> None:
        """Count a record in, or out again, and let it say so."""
        one, marks = recording.counted(record), recording.marks(record)
        values = [value_of(record, dimension) for dimension in DIMENSIONS]
        for by, places in _PLACES:
            named = [values[place] for place in places]
            if all(named):
                named += [""] * (MOST - len(named))
                self._days[Key(by, DAY, record.day, *named)].note(one, marks, sign)
        record.summed_as = SHAPE

    def store(self) -> None:
        """Add the steps to the stored sums. The caller sees to it that nobody else writes them meanwhile."""
        steps = {**self._days, **_weeks(self._days)}
        numbers = {}
        for number, key, tally in _standing(steps):
            steps[key].add(tally)
            numbers[key] = number
        gone = [number for key, number in numbers.items() if not steps[key].count]
        made = [key._asdict() | tally.to_texts()._asdict() for key, tally in steps.items() if tally.count]
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM incidents_spansum WHERE id = ANY(%s)", [gone])
            cursor.execute(_STORED, [json.dumps(made, default=str)])


def value_of(record: Record, dimension: str) -> str:
    """Return a record's value of a dimension as the sums name it; empty where it has none."""
    value = getattr(record, f"{dimension}_id" if dimension in NUMBERED else dimension)
    return "" if value is None else str(value)


def _weeks(days: Mapping[Key, Tally]) -> Mapping[Key, Tally]:
    weeks: dict[Key, Tally] = defaultdict(Tally)
    for key, tally in days.items():
        weeks[key._replace(length=WEEK, first=monday_of(key.first))].add(tally)
    return weeks


def _standing(keys: Iterable[Key]) -> Iterator[tuple[int, Key, Tally]]:
    """The stored sums that change, each with its number."""
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, [list(column) for column in zip(*keys, strict=True)] or [[]] * 5)
        for number, by, length, first, one, other, *texts in cursor:
            yield number, Key(by, length, first, one, other), Tally.from_texts(*texts)
