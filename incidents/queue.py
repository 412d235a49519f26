"""The queue: its tabs with their counts, its filters and sorts, and one page of rows by key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from django.db.models import Case, Count, IntegerField, Q, QuerySet, Value, When

from accounts.models import User
from incidents import keyset
from incidents.models import Incident
from incidents.queries import visible_incidents
from incidents.states import State

PAGE = 50
SEVERITIES = ("critical", "high", "error", "warning", "medium", "low", "info")
T = TypeVar("T", bound=StrEnum)


class Tab(StrEnum):
    """One shelf of the queue."""

    NEEDS_A_PERSON = "needs-a-person"
    EARNED_A_PASS = "earned-a-pass"  # noqa: S105 a verdict, no password
    INVESTIGATING = "investigating"
    CLOSED = "closed"
    ALL = "all"


class Sort(StrEnum):
    """The orders that the queue offers."""

    NEWEST = "newest"
    OLDEST = "oldest"
    SEVERITY = "severity"


# What did not earn a pass and is not being looked into waits for a person, whatever the reason.
SHELVES: Mapping[Tab, Q] = {
    Tab.NEEDS_A_PERSON: Q(state__in=[State.OPEN, State.REVIEW])
    & (Q(verdict_passed=False) | Q(verdict_passed__isnull=True)),
    Tab.EARNED_A_PASS: Q(state__in=[State.OPEN, State.REVIEW], verdict_passed=True),
    Tab.INVESTIGATING: Q(state=State.INVESTIGATING),
    Tab.CLOSED: Q(state=State.CLOSED),
    Tab.ALL: Q(),
}
TITLES: Mapping[Tab, str] = {
    Tab.NEEDS_A_PERSON: "Needs a person",
    Tab.EARNED_A_PASS: "Earned a pass",
    Tab.INVESTIGATING: "Investigating",
    Tab.CLOSED: "Closed",
    Tab.ALL: "All",
}
_RANK = Case(
    *(When(severity=word, then=Value(rank)) for rank, word in enumerate(SEVERITIES)),
    default=Value(len(SEVERITIES)),
    output_field=IntegerField(),
)
ORDERS: Mapping[Sort, keyset.Order] = {
    Sort.NEWEST: (("last_received_at", True), ("pk", True)),
    Sort.OLDEST: (("started_at", False), ("pk", False)),
    Sort.SEVERITY: (("rank", False), ("last_received_at", True), ("pk", True)),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one address asks of the queue. Unknown values have already become defaults."""

    tab: Tab = Tab.NEEDS_A_PERSON
    sort: Sort = Sort.NEWEST
    words: str = ""
    severity: str = ""
    kind: str = ""
    source: str = ""
    mine: bool = False
    after: str = ""
    before: str = ""

    @property
    def is_filtered(self) -> bool:
        """Whether anything but tab, sort and place narrows the list."""
        return bool(self.words or self.severity or self.kind or self.source or self.mine)


@dataclass(frozen=True, slots=True)
class Shelf:
    """One tab with its count."""

    tab: Tab
    title: str
    count: int


def wanted(query: Mapping[str, str]) -> Wanted:
    """Read an address's parameters; what is unknown falls back and never raises."""
    return Wanted(
        tab=_choice(Tab, query.get("tab", ""), Tab.NEEDS_A_PERSON),
        sort=_choice(Sort, query.get("sort", ""), Sort.NEWEST),
        words=query.get("q", "").replace("\0", "").strip()[:200],
        severity=query.get("severity", "").replace("\0", "")[:20],
        kind=query.get("kind", "") if query.get("kind") in ("alert", "claim", "issue") else "",
        source=query.get("source", "").replace("\0", "")[:60],
        mine=query.get("mine") == "1",
        after=query.get("after", ""),
        before=query.get("before", ""),
    )


def shelves(user: User, want: Wanted) -> Sequence[Shelf]:
    """Return every tab with the count of what it holds under the present filters."""
    counts = _filtered(user, want).aggregate(
        **{tab.name.lower(): Count("pk", filter=shelf) for tab, shelf in SHELVES.items() if tab != Tab.ALL},
        all=Count("pk"),
    )
    return [Shelf(tab, TITLES[tab], counts[tab.name.lower()]) for tab in Tab]


def page(user: User, want: Wanted) -> keyset.Page[Incident]:
    """Return one page of the wanted tab, found by key: rows that come or go do not shift it."""
    rows = _filtered(user, want).filter(SHELVES[want.tab]).select_related("source", "team", "assignee")
    return keyset.page(
        rows.annotate(rank=_RANK), ORDERS[want.sort], after=want.after, before=want.before, size=PAGE
    )


def newest_id(user: User, want: Wanted) -> int:
    """Return the highest id of the wanted tab, 0 for none: what a page compares to see arrivals."""
    found = (
        _filtered(user, want).filter(SHELVES[want.tab]).order_by("-pk").values_list("pk", flat=True).first()
    )
    return found or 0


def arrivals(user: User, want: Wanted, since: int) -> int:
    """Return how many incidents of the wanted tab are newer than an id."""
    return _shelf(user, want).filter(pk__gt=since).count()


def _shelf(user: User, want: Wanted) -> QuerySet[Incident]:
    return _filtered(user, want).filter(SHELVES[want.tab])


def _filtered(user: User, want: Wanted) -> QuerySet[Incident]:
    rows = visible_incidents(user)
    if want.words:
        rows = rows.filter(_mentions(want.words))
    if want.severity:
        rows = rows.filter(severity=want.severity)
    if want.kind:
        rows = rows.filter(kind=want.kind)
    if want.source:
        rows = rows.filter(source__slug=want.source)
    if want.mine:
        rows = rows.filter(assignee=user)
    return rows


def _mentions(text: str) -> Q:
    found = (
        Q(title__icontains=text)
        | Q(sender_key__icontains=text)
        | Q(hypothesis__icontains=text.replace(" ", "_"))
        | Q(verdict_reason__icontains=text)
        | Q(identifiers__icontains=text)
    )
    number = text.removeprefix("#")
    if number.isascii() and number.isdigit() and len(number) < 19:
        found |= Q(pk=int(number))
    return found


def _choice(kind: type[T], word: str, default: T) -> T:
    try:
        return kind(word)
    except ValueError:
        return default
