"""The circuit breakers: opened by failures or by too many writes on a target, closed by a person, by name."""

from datetime import datetime, timedelta

from django.db import transaction

from accounts.models import User
from accounts.permissions import Permission
from approvals.models import Breaker, Execution
from approvals.moving import recorded
from approvals.outcomes import MoveRefused
from approvals.policy import Policy
from approvals.states import State, Verification
from audit import writing

_HOUR = timedelta(hours=1)
_FAILED = (State.FAILED, State.UNKNOWN)


def open_on(action: str, target: str) -> Breaker | None:
    """Return the open breaker of an action on a target, if any."""
    return Breaker.objects.filter(action=action, target=target, closed_at=None).first()


def why_open(action: str, target: str, policy: Policy, now: datetime) -> str:
    """Return why a breaker has to open now, or "". What was before a person closed it counts no more."""
    last = (
        Breaker.objects.filter(action=action, target=target)
        .exclude(closed_at=None)
        .order_by("-closed_at")
        .first()
    )
    since = max(now - _HOUR, last.closed_at) if last and last.closed_at else now - _HOUR
    lately = Execution.objects.filter(request__action=action, request__target=target, claimed_at__gt=since)
    failed = lately.filter(request__state__in=[each.value for each in _FAILED]).count()
    failed += (
        lately.filter(request__verification=Verification.UNVERIFIED)
        .exclude(request__state__in=[each.value for each in _FAILED])
        .count()
    )
    if failed >= policy.failures_an_hour > 0:
        return f"{failed} writes failed, or were not seen to work, within an hour"
    made = lately.exclude(request__state=State.ABORTED).count()
    if made >= policy.actions_an_hour > 0:
        return f"{made} writes were made within an hour, and {policy.actions_an_hour} are the most"
    return ""


def note(action: str, target: str, policy: Policy, now: datetime) -> Breaker | None:
    """Open the breaker where that is due, in a transaction of its own; return the open one, if any."""
    found = open_on(action, target)
    because = "" if found else why_open(action, target, policy, now)
    if not because:
        return found
    with transaction.atomic():
        made = Breaker.objects.bulk_create(
            [Breaker(action=action, target=target, opened_at=now, because=because)], ignore_conflicts=True
        )
        writing.write(
            "breaker.opened", {"action": action, "target": target, "because": because}, actor="worker:execute"
        )
    return open_on(action, target) or made[0]


def close(breaker_id: int, *, person: User, because: str, now: datetime) -> Breaker:
    """Close a breaker, by name. Raises MoveRefused, recorded."""
    with recorded(person.actor, f"close breaker {breaker_id}"):
        if not person.is_active or not person.has_perm(Permission.MANAGE_WRITES):
            raise MoveRefused("Breakers are closed by managers and administrators.")
        if not 5 <= len(because.strip()) <= 300:
            raise MoveRefused("Say why it may close, in 5 to 300 characters.")
        closed = Breaker.objects.filter(pk=breaker_id, closed_at=None).update(
            closed_at=now, closed_by=person.actor, closed_because=because.strip()
        )
        if not closed:
            raise MoveRefused(f"There is no open breaker {breaker_id}.")
        breaker = Breaker.objects.get(pk=breaker_id)
        payload = {"action": breaker.action, "target": breaker.target, "because": because.strip()}
        writing.write("breaker.closed", {"breaker": breaker_id, **payload}, actor=person.actor)
        return breaker
