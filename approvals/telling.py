"""People are told when a write waits for them, is about to expire, and how it ended."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from approvals.models import ActionRequest, BreakGlass
from approvals.states import State
from notices import standings, telling
from notices.events import Event

ABOUT = "request"
GLASS = "glass"
# So long before nobody can decide any more, people hear that nobody has.
_BEFORE_THE_END = timedelta(minutes=5)
_ENDS: Mapping[State, Event] = {
    State.EXPIRED: Event.EXPIRED,
    State.SUCCEEDED: Event.EXECUTED,
    State.FAILED: Event.FAILED,
    State.REFUSED: Event.FAILED,
    State.ABORTED: Event.FAILED,
    State.UNKNOWN: Event.UNKNOWN,
}


def prepared(request: ActionRequest, now: datetime) -> None:
    """Tell that a request can be decided, in the transaction that made it so."""
    _tell(request, Event.PROPOSED, f"by {request.proposed_by}: {request.reason}", now)


def moved(request: ActionRequest, end: State, now: datetime) -> None:
    """Tell how a request ended, in the transaction of its move."""
    with_another = end is State.EXPIRED and request.undoes_id is not None
    if end in _ENDS and not with_another:
        _tell(request, _ENDS[end], request.outcome, now)


def expiring(now: datetime) -> None:
    """Tell of each request that nobody has decided and that is about to expire."""
    rows = ActionRequest.objects.filter(state=State.PROPOSED, undoes=None, prepared_at__isnull=False)
    for request in rows.filter(decide_by__gt=now, decide_by__lte=now + _BEFORE_THE_END)[:200]:
        _tell(request, Event.EXPIRING, f"nobody can decide it after {request.decide_by:%H:%M} UTC", now)


def broken(glass: BreakGlass, now: datetime) -> None:
    """Tell that somebody broke the glass, in the transaction in which they did."""
    news = telling.News(
        event=Event.GLASS,
        about=GLASS,
        about_id=glass.pk,
        title=f"{glass.holder.username} decides alone until {glass.ends_at:%H:%M} UTC",
        words=glass.reason,
        path="/approvals/glass/",
    )
    telling.tell(news, now=now)


def standing(request_id: int, now: datetime) -> standings.Standing:
    """Say whether a request still waits for people: to be decided, or to be settled."""
    state = ActionRequest.objects.filter(pk=request_id).values_list("state", flat=True).first()
    if state in (State.PROPOSED, State.UNKNOWN):
        return standings.Standing()
    return standings.Standing(f"the request is {state or 'gone'}")


def _tell(request: ActionRequest, event: Event, words: str, now: datetime) -> None:
    news = telling.News(
        event=event,
        about=ABOUT,
        about_id=request.pk,
        title=f"{request.action} on {request.target} ({request.risk} risk)",
        words=words,
        path=f"/approvals/{request.pk}/",
        team_id=request.team_id,
    )
    telling.tell(news, now=now)
