"""Sums by more dimensions than are kept: PostgreSQL adds them up from the records, as exactly."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django.db import connection

from incidents.figures.blocks import NUMBERED
from incidents.figures.parts import WEEK, Bars, Part
from incidents.figures.stages import REOPENED_WITHIN, RESOLVE, STAGES, Counted, Ended, Judged
from incidents.figures.summing import SHAPE
from incidents.figures.tally import Tally

# Once through the records, which takes most of the time: first what is counted, then the durations.
_SUMMED = """
WITH chosen AS MATERIALIZED (
    SELECT {key} AS value, ended, judged, first_closed_on, first_closed_on < %s AS is_ripe,
        is_comparable, is_override, was_reopened, {marks}
    FROM incidents_record WHERE {where}
)
SELECT value, ended, judged, min(first_closed_on), is_comparable, is_override, NULL::bigint, NULL::smallint,
    count(*), count(*) FILTER (WHERE was_reopened)::numeric, NULL::numeric
FROM chosen GROUP BY value, ended, judged, is_ripe, is_comparable, is_override
UNION ALL
SELECT value, NULL, NULL, NULL, NULL, NULL, place, bar, count(*), sum(log), sum(log::bigint * log)
FROM {marked} WHERE bar IS NOT NULL GROUP BY value, place, bar
"""
_RESOLVE = next(place for place, stage in enumerate(STAGES, 1) if stage.name == RESOLVE)
# Of all stages or of one: what is taken from a record, and how it becomes a row for each stage.
_MARKS = {
    True: ("bars, logs", "chosen CROSS JOIN unnest(bars, logs) WITH ORDINALITY AS mark (bar, log, place)"),
    False: (f"bars[{_RESOLVE}] AS bar, logs[{_RESOLVE}] AS log, {_RESOLVE}::bigint AS place", "chosen"),
}


def sums(filters: Mapping[str, str], part: Part, today: date) -> Mapping[str, Tally]:
    """Return the sum of each value that the part asks for, under the filters.

    Closings stand under two days at most: those that are old enough by today under the first of their days,
    and the younger ones likewise. That is all that is asked about their days, and a year has many.
    """
    where = "day BETWEEN %s AND %s AND summed_as = %s"
    where += "".join(f" AND {_column(name)} = %s" for name in filters)
    asked: list[Any] = [today - REOPENED_WITHIN, part.first, part.last, SHAPE]
    asked += [int(value) if name in NUMBERED else value for name, value in filters.items()]
    every_stage = part.bars is Bars.ALL or not part.by
    marks, marked = _MARKS[every_stage]
    words = {"key": _key(part.by), "where": where, "marks": marks, "marked": marked}
    found: dict[str, Tally] = defaultdict(Tally)
    with connection.cursor() as cursor:
        cursor.execute(_SUMMED.format(**words), asked)
        for value, *told, place, bar, count, total, squares in cursor:
            if place is None:
                found[value].note_alike(_alike(part.first, told), count, int(total))
            else:
                times = found[value].times[STAGES[place - 1].name]
                times.note_alike(bar, count, int(total), int(squares))
    return {value: tally for value, tally in found.items() if value or not part.by}


def _alike(day: date, told: Sequence[Any]) -> Counted:
    ended, judged, closed_on, is_comparable, is_override = told
    return Counted(
        day, Ended(ended), Judged(judged), first_closed_on=closed_on, is_comparable=is_comparable,
        is_override=is_override,
    )  # fmt: skip


def _key(by: str) -> str:
    if by == WEEK:
        return "date_trunc('week', day)::date::text"
    return f"coalesce({_column(by)}::text, '')" if by else "''"


def _column(dimension: str) -> str:
    return f"{dimension}_id" if dimension in NUMBERED else dimension
