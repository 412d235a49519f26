"""The requests that a person sees, by shelf, and their first look at one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet

from accounts.models import User
from accounts.permissions import Permission
from approvals.models import ActionRequest, Breaker, BreakGlass, Look, WriteSwitch
from approvals.states import State
from assay_core.numbers import whole
from notices import standings

PAGE = 50
# A rollback is decided with what it undoes: it stands on a shelf of its own once somebody asks for it.
_ON_A_SHELF = Q(undoes=None) | ~Q(wanted_at=None)
_SHELVES: Mapping[str, tuple[str, tuple[State, ...]]] = {
    "waiting": ("Waiting", (State.PROPOSED,)),
    "running": ("Under way", (State.APPROVED, State.EXECUTING)),
    "unknown": ("Unknown outcome", (State.UNKNOWN,)),
    "history": (
        "History",
        (State.SUCCEEDED, State.FAILED, State.ABORTED, State.DENIED, State.EXPIRED, State.WITHDRAWN,
         State.REFUSED),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shelf:
    """One shelf of requests: its word in the address, its title, how many stand there."""

    tab: str
    title: str
    count: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list shows: a shelf, an action, a state of that shelf; rows older than `before`."""

    tab: str = "waiting"
    action: str = ""
    state: str = ""
    before: int | None = None

    @property
    def is_filtered(self) -> bool:
        """Whether anything but the shelf is asked for."""
        return bool(self.action or self.state)


@dataclass(frozen=True, slots=True)
class Listed:
    """One page of requests. `older` is the key of the next page, None on the last one."""

    rows: Sequence[ActionRequest]
    older: int | None


@dataclass(frozen=True, slots=True)
class Weather:
    """What every page of approvals says at its top: what stands in the way of all writes, what is loud."""

    is_switched_on: bool
    open_breakers: int
    broken: Sequence[BreakGlass]
    unreviewed: int


def visible(user: User) -> QuerySet[ActionRequest]:
    """Return the requests of the person's teams and those of no team; all where the role sees all.

    Without those of incidents that are kept from them: why a write is proposed tells what was decided.
    """
    rows = ActionRequest.objects.exclude(incident_id__in=standings.kept_from(user, "incident"))
    if user.has_perm(Permission.SEE_EVERY_TEAM):
        return rows
    return rows.filter(Q(team_id=None) | Q(team_id__in=user.teams.values("pk")))


def wanted(query: Mapping[str, str]) -> Wanted:
    """Read what is asked for from an address; what is not known is left out."""
    tab = query.get("tab", "")
    tab = tab if tab in _SHELVES else "waiting"
    state = query.get("state", "")
    return Wanted(
        tab,
        query.get("action", "")[:80].replace("\0", ""),
        state if state in _SHELVES[tab][1] else "",
        whole(query.get("before", "")),
    )


def states_of(tab: str) -> tuple[State, ...]:
    """Return the states that stand on a shelf."""
    return _SHELVES[tab][1]


def listed(user: User, want: Wanted) -> Listed:
    """Return one page of a shelf: what waits by its end, everything else the newest first."""
    states = (want.state,) if want.state else _SHELVES[want.tab][1]
    rows = visible(user).filter(_ON_A_SHELF, state__in=states)
    if want.action:
        rows = rows.filter(action=want.action)
    if want.tab == "waiting":
        return Listed(list(rows.order_by("decide_by", "pk")[:200]), None)
    if want.before is not None:
        rows = rows.filter(pk__lt=want.before)
    found = list(rows.order_by("-pk")[: PAGE + 1])
    return Listed(found[:PAGE], found[PAGE - 1].pk if len(found) > PAGE else None)


def shelves(user: User) -> list[Shelf]:
    """Return every shelf with how many of the person's requests stand there."""
    counted = visible(user).filter(_ON_A_SHELF).values("state").annotate(number=Count("pk"))
    numbers = {row["state"]: row["number"] for row in counted}
    return [
        Shelf(tab, title, sum(numbers.get(state.value, 0) for state in states))
        for tab, (title, states) in _SHELVES.items()
    ]


def waiting(user: User, now: datetime) -> int:
    """Return how many of the person's requests wait for a decision."""
    return visible(user).filter(state=State.PROPOSED, undoes=None, decide_by__gt=now).count()


def to_decide(user: User, now: datetime) -> int:
    """Return how many requests wait for this person's own word, or for their team's.

    Not what they proposed, which others decide, and not what they have decided and others have not yet.
    """
    rows = visible(user).filter(state=State.PROPOSED, undoes=None, decide_by__gt=now)
    return rows.exclude(proposed_by=user.actor).exclude(decisions__person=user).count()


def of_incident(user: User, incident: int) -> list[ActionRequest]:
    """Return the requests about one incident, the newest first."""
    return list(visible(user).filter(_ON_A_SHELF, incident_id=incident).order_by("-pk")[:PAGE])


def looked(request: ActionRequest, user: User, now: datetime) -> datetime | None:
    """Return when this person first saw the request as it can be decided, noting it if that is now."""
    if not request.digest:
        return None
    look, _ = Look.objects.get_or_create(request=request, person=user, defaults={"first_at": now})
    return look.first_at


def weather(now: datetime) -> Weather:
    """Return what stands in the way of all writes now, and what everybody has to hear of."""
    glasses = BreakGlass.objects.filter(reviewed_at=None).select_related("holder")
    is_on = WriteSwitch.objects.filter(scope="global", writes_enabled=True).exists()
    return Weather(
        is_switched_on=is_on,
        open_breakers=Breaker.objects.filter(closed_at=None).count(),
        broken=[each for each in glasses if each.ends_at > now],
        unreviewed=sum(1 for each in glasses if each.ends_at <= now),
    )
