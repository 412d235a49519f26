"""How one worker gets a request to execute: conditional UPDATEs, and the intent committed first."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import F

from approvals import switch
from approvals.digesting import Content
from approvals.jcs import digest_of
from approvals.models import ActionRequest, Execution
from approvals.moving import Note, write
from approvals.states import State

ACTOR = "worker:execute"


class NotClaimed(Exception):
    """The request cannot be claimed; the message is `<gate>: <reason>`, or empty: somebody else has it."""


def key_of(request: ActionRequest) -> str:
    """Return the idempotency token of a request: one for each content, so that no target does it twice."""
    return digest_of({"request": request.pk, "digest": request.digest})


def claim(request: ActionRequest, content: Content, *, lease_seconds: int, now: datetime) -> Execution:
    """Claim an approved request and commit what is intended. Raises NotClaimed.

    State, version, body, digest, expiry and the switch's version are conditions of it; the target is locked
    by a unique index. Without its audit entry there is no claim, and so no write.
    """
    try:
        with transaction.atomic(durable=True):
            standing = switch.standing(switch.scopes_of(request), lock=True)
            if not standing.is_on:
                raise NotClaimed(f"write switch: writes are off for {', '.join(standing.off)}")
            moved = ActionRequest.objects.filter(
                pk=request.pk,
                state=State.APPROVED,
                version=request.version,
                body=request.body,
                digest=request.digest,
                approved_entry=request.approved_entry,
                execute_by__gt=now,
            ).update(state=State.EXECUTING, version=F("version") + 1)
            if not moved:
                raise NotClaimed
            execution = Execution.objects.create(
                request=request,
                key=key_of(request),
                switch_version=standing.version,
                claimed_at=now,
                lease_until=now + timedelta(seconds=lease_seconds),
            )
            execution.intent_entry = _intend(request, execution, content)
            execution.save(update_fields=["intent_entry"])
    except IntegrityError:
        raise NotClaimed("target: another write on it began at the same moment") from None
    request.refresh_from_db()
    return execution


def begin_call(execution: Execution, *, now: datetime) -> str:
    """Note that the target is called now, or return `<gate>: <reason>` why it may not be.

    The switch is read once more, under lock; a lease that ran out or a request that a sweep ended stops it.
    From this commit on a crash means that nobody knows.
    """
    with transaction.atomic(durable=True):
        request = ActionRequest.objects.select_for_update(of=("self",)).get(pk=execution.request_id)
        standing = switch.standing(switch.scopes_of(request), lock=True)
        if not standing.is_on:
            return f"write switch: writes are off for {', '.join(standing.off)}"
        if standing.version != execution.switch_version:
            return "write switch: it was changed since the claim"
        if request.state != State.EXECUTING:
            return "claim: the request was ended by somebody else"
        begun = Execution.objects.filter(
            pk=execution.pk, called_at=None, ended_at=None, lease_until__gt=now
        ).update(called_at=now)
        return "" if begun else "claim: its lease ran out before the target was called"


def _intend(request: ActionRequest, execution: Execution, content: Content) -> int:
    payload = {
        "key": execution.key,
        "target": request.target,
        "arguments": dict(content.arguments),
        "switch_version": execution.switch_version,
        "approved_entry": request.approved_entry,
    }
    return write(request, Note("write.intended", ACTOR, payload))
