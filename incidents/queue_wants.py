"""What one address asks of the queue: its tab, order, filters, place and row. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar
from urllib.parse import urlencode

from assay_core.numbers import whole

SEVERITIES = ("critical", "high", "error", "warning", "medium", "low", "info")
KINDS = ("alert", "claim", "issue")
T = TypeVar("T", bound=StrEnum)


class Tab(StrEnum):
    """One tab of the queue."""

    MINE = "mine"
    MY_TEAM = "my-team"
    NEEDS_A_PERSON = "needs-a-person"
    EARNED_A_PASS = "earned-a-pass"  # noqa: S105 a verdict, no password
    INVESTIGATING = "investigating"
    SNOOZED = "snoozed"
    CLOSED = "closed"
    ALL = "all"


class Sort(StrEnum):
    """The orders that the queue offers."""

    NEWEST = "newest"
    OLDEST = "oldest"
    SEVERITY = "severity"


# A trigger puts each incident on one of these shelves; what it does not know stands on none.
LIVE = ("needs-a-person", "earned-a-pass", "investigating")
SHELVES: Mapping[Tab, tuple[str, ...]] = {
    Tab.MINE: LIVE,
    Tab.MY_TEAM: LIVE,
    Tab.NEEDS_A_PERSON: ("needs-a-person",),
    Tab.EARNED_A_PASS: ("earned-a-pass",),
    Tab.INVESTIGATING: ("investigating",),
    Tab.SNOOZED: ("snoozed",),
    Tab.CLOSED: ("closed",),
    Tab.ALL: (*LIVE, "snoozed", "closed"),
}
TITLES: Mapping[Tab, str] = {
    Tab.MINE: "Mine",
    Tab.MY_TEAM: "My team",
    Tab.NEEDS_A_PERSON: "Needs a person",
    Tab.EARNED_A_PASS: "Earned a pass",
    Tab.INVESTIGATING: "Investigating",
    Tab.SNOOZED: "Snoozed",
    Tab.CLOSED: "Closed",
    Tab.ALL: "All",
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
    row: int = 0

    @property
    def is_filtered(self) -> bool:
        """Whether anything but tab, sort and place narrows the list."""
        return bool(self.words or self.severity or self.kind or self.source or self.mine)

    @property
    def is_counted(self) -> bool:
        """Whether the kept counts answer how many there are; else some have to be looked at."""
        return not self.words and not self.mine and (not self.severity or self.severity in SEVERITIES)

    def address(self) -> str:
        """Return the parameters that ask for the same list again, without place and row."""
        named = {
            "tab": "" if self.tab == Tab.NEEDS_A_PERSON else self.tab.value,
            "sort": "" if self.sort == Sort.NEWEST else self.sort.value,
            "q": self.words,
            "severity": self.severity,
            "kind": self.kind,
            "source": self.source,
            "mine": "1" if self.mine else "",
        }
        return urlencode({name: value for name, value in named.items() if value})

    def named(self) -> str:
        """Return the address as text that is never empty, for a page that carries it as a whole."""
        return self.address() or f"tab={self.tab.value}"

    def placed(self, *, after: str, before: str) -> "Wanted":
        """Return the same list from another place on."""
        return replace(self, after=after, before=before)


def wanted(query: Mapping[str, str]) -> Wanted:
    """Read an address's parameters; what is unknown falls back and never raises."""
    return Wanted(
        tab=_choice(Tab, query.get("tab", ""), Tab.NEEDS_A_PERSON),
        sort=_choice(Sort, query.get("sort", ""), Sort.NEWEST),
        words=query.get("q", "").replace("\0", "").strip()[:200],
        severity=query.get("severity", "").replace("\0", "")[:20],
        kind=query.get("kind", "") if query.get("kind") in KINDS else "",
        source=query.get("source", "").replace("\0", "")[:60],
        mine=query.get("mine") == "1",
        after=query.get("after", ""),
        before=query.get("before", ""),
        row=whole(query.get("edit", "")) or 0,
    )


def _choice(kind: type[T], word: str, default: T) -> T:
    try:
        return kind(word)
    except ValueError:
        return default
