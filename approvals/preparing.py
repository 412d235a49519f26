"""How a request gets its body: the execute worker reads the target, tries the write dry, and binds both.

Until then nobody can decide it. What people are shown afterwards is this body and nothing else.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from approvals import bounded, hands, telling
from approvals.actions import registry
from approvals.actions.base import Action, CouldNotCheck, Footprint, Observed, Proposal
from approvals.actions.registry import Declared
from approvals.digesting import NotDigestible, digest_of_text, plain_check, plain_footprint, text_of
from approvals.models import ActionRequest
from approvals.moving import Note, move, write
from approvals.states import Risk, State
from toolbox import schemas

ACTOR = "worker:execute"
SECONDS = 60.0
# The rollback is tried dry when it is asked for: before the write there is nothing to undo.
_LEFT = {"version": "as the write leaves it", "state": {}}


class MakesNoSense(Exception):
    """The write cannot be asked for on the state that the target is in; the message says why."""


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of the target for a body."""

    action: Action
    arguments: Mapping[str, Any]
    observed: Observed
    footprint: Footprint
    undo: Proposal | None


def prepare(request_id: int, *, now: datetime) -> ActionRequest | None:
    """Read the target and write the body of a proposed request, once. Called outside any transaction.

    Returns the request when it was prepared by this call. What could not be read is noted on the request and
    tried again by the sweep; a write that makes no sense on the target's state is withdrawn.
    """
    request = ActionRequest.objects.filter(
        pk=request_id, state=State.PROPOSED, digest="", undoes=None, decide_by__gt=now
    ).first()
    if request is None:
        return None
    try:
        with bounded.within(SECONDS):
            read = _read(request)
        with transaction.atomic():
            return _bound(request, read, registry.current(), now)
    except MakesNoSense as error:
        _withdraw(request, str(error), now)
    except (CouldNotCheck, NotDigestible) as error:
        _note(request, str(error))
    return None


def _read(request: ActionRequest) -> Read:
    action = registry.current().actions.get(request.action)
    if action is None:
        raise MakesNoSense(f"the action {request.action} is not declared any more")
    arguments = json.loads(request.arguments)
    observed = action.observe(arguments)
    wrong = action.precondition(arguments, observed)
    if wrong:
        raise MakesNoSense(f"precondition: {wrong}")
    footprint = action.dry_run(arguments, hands.opened(action.credential))
    if not footprint.objects:
        raise CouldNotCheck("the dry run says that nothing would be touched")
    return Read(action, arguments, observed, footprint, _undo(action, arguments, observed))


def _undo(action: Action, arguments: Mapping[str, Any], observed: Observed) -> Proposal | None:
    undo = action.rollback(arguments, observed)
    if not action.is_reversible:
        return None
    other = registry.current().actions.get(undo.action) if undo else None
    if undo is None or other is None:
        raise MakesNoSense(
            "rollback: the action is declared reversible, and nothing leads back from this state"
        )
    wrong = schemas.complaint(undo.arguments, other.arguments)
    if wrong:
        raise MakesNoSense(f"rollback: its arguments are not as {undo.action} takes them: {wrong}")
    return undo


def _bound(request: ActionRequest, read: Read, declared: Declared, now: datetime) -> ActionRequest | None:
    policy = declared.policy
    decide_by = now + timedelta(seconds=policy.decide_seconds)
    child = _rollback_row(request, read, declared, decide_by) if read.undo else None
    body = {
        **_common(request, policy.version),
        "reversible": read.action.is_reversible,
        "observed": {"version": read.observed.version, "state": dict(read.observed.state)},
        "footprint": plain_footprint(read.footprint),
        "precondition": {"version": read.observed.version, "holds": True},
        "rollback": None
        if child is None or read.undo is None
        else {
            "request": child.pk,
            "action": child.action,
            "arguments": dict(read.undo.arguments),
            "digest": child.digest,
        },
        "verify": plain_check(read.action.verify(read.arguments, read.observed)),
        "undoes": None,
    }
    return _stored(request, body, now, decide_by)


def _stored(
    request: ActionRequest, body: Mapping[str, Any], now: datetime, decide_by: datetime
) -> ActionRequest | None:
    text = text_of(body)
    rows = ActionRequest.objects.filter(pk=request.pk, state=State.PROPOSED, digest="")
    values = {"body": text, "digest": digest_of_text(text), "prepared_at": now, "decide_by": decide_by}
    if not rows.update(outcome="", version=request.version + 1, **values):
        raise CouldNotCheck("somebody else was faster")  # rolls the rollback's row back, too
    request.refresh_from_db()
    write(request, Note("write.prepared", ACTOR, {"body": text}))
    telling.prepared(request, now)
    return request


def _rollback_row(
    request: ActionRequest, read: Read, declared: Declared, decide_by: datetime
) -> ActionRequest:
    """Make the request that undoes this one. It is decided with it and asked for afterwards, if ever."""
    assert read.undo is not None
    action = declared.actions[read.undo.action]
    child = ActionRequest.objects.create(
        incident_id=request.incident_id,
        investigation_id=request.investigation_id,
        team_id=request.team_id,
        action=action.name,
        target=action.target(read.undo.arguments)[:300],
        risk=max(request.risk, action.risk.value, key=lambda risk: risk == Risk.HIGH),
        arguments=text_of(dict(read.undo.arguments)),
        cites=request.cites,
        reason=f"Rollback of request {request.pk}: {read.undo.why}",
        proposed_by=request.proposed_by,
        proposer=request.proposer,
        editor=request.editor,
        token_owner=request.token_owner,
        undoes=request,
        proposed_at=request.proposed_at,
        decide_by=decide_by,
    )
    left, touched = read.footprint.after, read.footprint
    plain = plain_footprint(Footprint(touched.objects, touched.namespaces, left, touched.before))
    body = {
        **_common(child, declared.policy.version),
        "reversible": False,
        "observed": _LEFT,
        "footprint": plain,
        "precondition": {"version": _LEFT["version"], "holds": True},
        "rollback": None,
        "verify": plain_check(action.verify(read.undo.arguments, Observed(str(_LEFT["version"]), left))),
        "undoes": request.pk,
    }
    child.body = text_of(body)
    child.digest = digest_of_text(child.body)
    child.save(update_fields=["body", "digest"])
    return child


def _common(request: ActionRequest, policy: str) -> dict[str, Any]:
    return {
        "request": request.pk,
        "action": request.action,
        "arguments": json.loads(request.arguments),
        "target": request.target,
        "risk": request.risk,
        "policy": policy,
        "cites": json.loads(request.cites),
        "incident": request.incident_id,
        "team": request.team_id,
    }


def _withdraw(request: ActionRequest, because: str, now: datetime) -> None:
    with transaction.atomic():
        note = Note("write.withdrawn", ACTOR, {"because": because})
        move(request, State.WITHDRAWN, note, now=now, outcome=because)


def _note(request: ActionRequest, because: str) -> None:
    """Say on the request what its preparation waits for; said once for each reason."""
    with transaction.atomic():
        waiting = f"cannot be prepared: {because}"
        rows = ActionRequest.objects.filter(pk=request.pk, state=State.PROPOSED, digest="")
        if rows.exclude(outcome=waiting).update(outcome=waiting):
            write(request, Note("write.unprepared", ACTOR, {"because": because}))
