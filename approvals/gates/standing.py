"""The gates that read rows of ours: the write switch, the calendar, the target's lock, the breaker."""

from approvals import breakers, freezes, switch
from approvals.gates.base import Passage
from approvals.models import ActionRequest
from approvals.outcomes import GateSaid, blocked, ok
from approvals.states import LOCKING, Phase, State


def write_switch(passage: Passage) -> GateSaid:
    """Whether writes are on everywhere, for the team and for the action."""
    standing = switch.standing(switch.scopes_of(passage.request))
    if not standing.is_on:
        return blocked("write switch", f"writes are off for {', '.join(standing.off)}")
    return ok("write switch", "writes are on")


def calendar(passage: Passage) -> GateSaid:
    """Whether a freeze stands. One that lets this request through has a named person's exception."""
    found = freezes.standing(switch.scopes_of(passage.request), passage.request, passage.now)
    if found:
        first = found[0]
        return blocked(
            "calendar", f"“{first.title}” stands until {first.ends_at:%Y-%m-%d %H:%M} UTC", level="soft"
        )
    return ok("calendar", "no freeze stands", level="soft")


def target(passage: Passage) -> GateSaid:
    """Whether another write runs on the target, or one whose outcome nobody knows locks it."""
    locking = (
        ActionRequest.objects.filter(
            target=passage.request.target, state__in=[each.value for each in LOCKING]
        )
        .exclude(pk=passage.request.pk)
        .first()
    )
    if locking is not None:
        return blocked("target", f"request {locking.pk} is {locking.state} on {locking.target}")
    return ok("target", "nothing else writes to the target")


def unsettled(passage: Passage) -> GateSaid:
    """Whether a write whose outcome nobody knows locks the target; one that runs ends by itself."""
    rows = ActionRequest.objects.filter(target=passage.request.target, state=State.UNKNOWN)
    locking = rows.exclude(pk=passage.request.pk).first()
    if locking is not None:
        return blocked("target", f"nobody has settled yet what became of request {locking.pk} on the target")
    return ok("target", "no write on the target waits to be settled")


def breaker(passage: Passage) -> GateSaid:
    """Whether the breaker is closed, and stays so: what is due opens it."""
    request = passage.request
    if passage.phase is Phase.BEFORE_CLAIM:
        found = breakers.note(request.action, request.target, passage.policy, passage.now)
    else:
        found = breakers.open_on(request.action, request.target)
    if found is not None:
        return blocked("breaker", f"open since {found.opened_at:%Y-%m-%d %H:%M} UTC: {found.because}")
    return ok("breaker", "closed")
