"""How many incidents stand under each tab and each saved view: from the kept counts, or by a look at some."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.db import connection
from django.db.models import Q, Sum, Value

from incidents import queue
from incidents.models import Tally
from incidents.queue import LOOKED_AT, Sight
from incidents.queue_wants import SEVERITIES, SHELVES, TITLES, Tab, Wanted

# PostgreSQL lets the writers of one moment pass: what they add meanwhile is left for the next time.
_ADD_UP = """
WITH gone AS (
    DELETE FROM incidents_tally WHERE id IN (SELECT id FROM incidents_tally FOR UPDATE SKIP LOCKED)
    RETURNING team_id, source_id, kind, severity_rank, shelf, count
)
INSERT INTO incidents_tally (team_id, source_id, kind, severity_rank, shelf, count)
SELECT team_id, source_id, kind, severity_rank, shelf, sum(count) FROM gone
GROUP BY 1, 2, 3, 4, 5 HAVING sum(count) <> 0
"""
_MANY_STEPS = 2_000


@dataclass(frozen=True, slots=True)
class Shelf:
    """One tab with its count; `is_more` where there are at least so many."""

    tab: Tab
    title: str
    count: int
    is_more: bool = False


class _Group(NamedTuple):
    team: int | None
    source: int
    kind: str
    severity_rank: int
    shelf: str
    held: int


class _Seen(NamedTuple):
    """One incident that was looked at; `asked` is the number of the question that it answers."""

    asked: int
    number: int
    shelf: str
    team: int | None
    assignee: int | None


@dataclass(frozen=True, slots=True)
class Counts:
    """All that one page counts: its tabs, and other lists by the numbers that they were asked under.

    `among` are the numbers of all that the filters leave, where they had to be looked at and are few.
    """

    shelves: Sequence[Shelf]
    others: Mapping[int, Shelf]
    among: Sequence[int] | None = None


def counts(seen: Sight, want: Wanted, others: Mapping[int, Wanted]) -> Counts:
    """Return the tabs under the wanted filters, and how many each of the other lists holds, by its number.

    Two questions to the database, whatever is asked for. Numbers of the others are positive.
    """
    groups = _groups(seen)
    looks = {number: each for number, each in others.items() if not _is_kept(each)}
    # Nought: what is mine, which no kept count tells. Minus one: what a search finds on whatever shelf.
    looks[0] = replace(want, tab=Tab.MINE)
    if not want.is_counted:
        looks[-1] = replace(want, tab=Tab.ALL)
    looked = _looked(seen, looks)
    shelves = [
        _of_tab(seen, replace(want, tab=tab), groups, looked[0] if tab == Tab.MINE else looked.get(-1))
        for tab in Tab
    ]
    held = {number: _of_tab(seen, each, groups, looked.get(number)) for number, each in others.items()}
    return Counts(shelves, held, _few(looked.get(0 if want.tab == Tab.MINE else -1)))


def add_up() -> None:
    """Add the steps of the counts up where many have gathered: one row for each group is left."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM (SELECT 1 FROM incidents_tally LIMIT %s) AS steps", [_MANY_STEPS]
        )
        if cursor.fetchone() == (_MANY_STEPS,):
            cursor.execute(_ADD_UP)


def _few(looked: Sequence[_Seen] | None) -> Sequence[int] | None:
    return None if looked is None or len(looked) > LOOKED_AT else [row.number for row in looked]


def _is_kept(want: Wanted) -> bool:
    return want.is_counted and want.tab != Tab.MINE


def _groups(seen: Sight) -> list[_Group]:
    steps = Tally.objects.all()
    if not seen.sees_every_team:
        steps = steps.filter(Q(team_id__isnull=True) | Q(team_id__in=seen.teams))
    columns = ("team_id", "source_id", "kind", "severity_rank", "shelf")
    return [_Group(*row) for row in steps.values_list(*columns).annotate(Sum("count"))]


def _looked(seen: Sight, looks: Mapping[int, Wanted]) -> Mapping[int, Sequence[_Seen]]:
    found: dict[int, list[_Seen]] = {number: [] for number in looks}
    parts = [
        queue.rows(seen, each, is_look=True)
        .filter(shelf__in=SHELVES[each.tab])
        .annotate(asked=Value(number))
        .values_list("asked", "pk", "shelf", "team_id", "assignee_id")[: LOOKED_AT + 1]
        for number, each in looks.items()
    ]
    answer: Iterable[tuple[int, int, str, int | None, int | None]] = (
        parts[0].union(*parts[1:], all=True) if len(parts) > 1 else parts[0]
    )
    for row in answer:
        found[row[0]].append(_Seen(*row))
    return found


def _of_tab(seen: Sight, want: Wanted, groups: Sequence[_Group], looked: Sequence[_Seen] | None) -> Shelf:
    shelves = SHELVES[want.tab]
    if looked is None:
        kept = sum(each.held for each in groups if each.shelf in shelves and _fits(seen, want, each))
        return Shelf(want.tab, TITLES[want.tab], max(0, kept))
    is_more = len(looked) > LOOKED_AT
    by = Counter(each.shelf for each in looked[:LOOKED_AT] if _is_theirs(seen, want, each))
    return Shelf(want.tab, TITLES[want.tab], sum(by[shelf] for shelf in shelves), is_more)


def _fits(seen: Sight, want: Wanted, group: _Group) -> bool:
    return (
        (not want.kind or group.kind == want.kind)
        and (not want.severity or group.severity_rank == SEVERITIES.index(want.severity))
        and (not want.source or group.source == seen.source(want.source))
        and (want.tab != Tab.MY_TEAM or group.team in seen.teams)
    )


def _is_theirs(seen: Sight, want: Wanted, row: _Seen) -> bool:
    if want.tab == Tab.MINE:
        return row.assignee == seen.person
    return want.tab != Tab.MY_TEAM or row.team in seen.teams
