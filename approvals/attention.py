"""Whether people still look before they approve: figures for managers, over the last weeks."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef

from accounts.models import Team
from approvals.models import ActionRequest, Decision, Look
from approvals.states import Choice, State

WEEKS = 4
TOO_QUICK = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class Decider:
    """How one person, or everybody, decided. Times are from their first look to the decision.

    `quick` counts approvals within ten seconds of it; one without a look counts as quick, as nobody saw it.
    """

    name: str
    decisions: int
    approvals: int
    quick: int
    median: timedelta | None

    @property
    def share(self) -> int | None:
        """The percentage of approvals that were quick; None where there is none to divide by."""
        return round(100 * self.quick / self.approvals) if self.approvals else None


@dataclass(frozen=True, slots=True)
class Expired:
    """How many requests ran out, and how many of them nobody had looked at."""

    ended: int
    expired: int
    unread: int


@dataclass(frozen=True, slots=True)
class OpenOf:
    """How many requests of one team wait, beside the cap."""

    team: str
    waiting: int


def deciders(now: datetime) -> tuple[Decider, list[Decider]]:
    """Return everybody's figures, and each person's, who decided most first."""
    rows = list(
        Decision.objects.filter(decided_at__gt=now - timedelta(weeks=WEEKS), request__undoes=None)
        .select_related("person")
        .only(
            "choice", "opened_at", "decided_at", "person__username", "person__first_name", "person__last_name"
        )
    )
    theirs: dict[str, list[Decision]] = {}
    for row in rows:
        theirs.setdefault(str(row.person), []).append(row)
    each = [_of(name, made) for name, made in theirs.items()]
    return _of("everybody", rows), sorted(each, key=lambda decider: (-decider.decisions, decider.name))


def expired(now: datetime) -> Expired:
    """Return how many requests ran out undecided of late, and how many of those were never looked at."""
    rows = ActionRequest.objects.filter(undoes=None, ended_at__gt=now - timedelta(weeks=WEEKS))
    ran_out = rows.filter(state=State.EXPIRED, approved_at=None)
    return Expired(
        rows.count(),
        ran_out.count(),
        ran_out.filter(~Exists(Look.objects.filter(request=OuterRef("pk")))).count(),
    )


def open_by_team(now: datetime) -> Sequence[OpenOf]:
    """Return how many requests of each team wait, the most first."""
    counted = (
        ActionRequest.objects.filter(state=State.PROPOSED, undoes=None, decide_by__gt=now)
        .values("team_id")
        .annotate(number=Count("pk"))
        .order_by("-number")
    )
    names = dict(Team.objects.values_list("pk", "name"))
    return [OpenOf(names.get(row["team_id"] or 0, "no team"), row["number"]) for row in counted]


def _of(name: str, made: Iterable[Decision]) -> Decider:
    rows = list(made)
    taken = [row.decided_at - row.opened_at for row in rows if row.opened_at is not None]
    approved = [row for row in rows if row.choice == Choice.APPROVE]
    quick = [row for row in approved if row.opened_at is None or row.decided_at - row.opened_at < TOO_QUICK]
    return Decider(name, len(rows), len(approved), len(quick), _middle(taken))


def _middle(taken: Sequence[timedelta]) -> timedelta | None:
    if not taken:
        return None
    return timedelta(seconds=statistics.median(each.total_seconds() for each in taken))
