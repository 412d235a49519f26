"""How a person decides a request, bound to exactly what they were shown."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.stepup import StepUp
from approvals import binding, sending
from approvals.actions import registry
from approvals.gates import order
from approvals.models import ActionRequest, Decision, FreezeException
from approvals.moving import Note, end_rollback, found, move, recorded, write
from approvals.outcomes import DecisionRefused, MoveRefused
from approvals.policy import Policy
from approvals.quorum import (
    group_of,
    is_enough,
    open_glass,
    why_not_person,
    why_not_probed,
    why_not_step_up,
)
from approvals.states import Choice, State
from assay_core.instants import as_text

_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Given:
    """One person's decision as it arrives. `digest` is of what their page showed."""

    person: User
    choice: str
    reason: str
    digest: str
    stepup: StepUp | None
    opened_at: datetime | None = None


def decide(request_id: int, given: Given, *, now: datetime) -> ActionRequest:
    """Record a decision; the last approval sends the request to be executed. Raises DecisionRefused."""
    try:
        with recorded(given.person.actor, f"{given.choice[:20]}", request=request_id):
            return _decided(request_id, given, now)
    except DecisionRefused:
        raise
    except IntegrityError:
        refusal = DecisionRefused(
            "The database refuses this decision: it is your own, given twice, or of another content."
        )
        with recorded(given.person.actor, f"{given.choice[:20]}", request=request_id):
            raise refusal from None


def can_decide(person: User, request: ActionRequest, stepup: StepUp | None, now: datetime) -> str:
    """Return why this person cannot approve this request now, in words; "" when they can."""
    return (
        _why_not_decided(request, now)
        or why_not_person(person, request)
        or _why_not_approved(person, request, stepup, now)
    )


def can_deny(person: User, request: ActionRequest, now: datetime) -> str:
    """Return why this person cannot deny this request now, in words; "" when they can. No proof is needed."""
    return _why_not_decided(request, now) or why_not_person(person, request)


def credentials_of(request: ActionRequest) -> list[str]:
    """Return the names of the write credentials that a request and its rollback need."""
    actions = registry.current().actions
    child = ActionRequest.objects.filter(undoes=request).first()
    names = [request.action, *([child.action] if child else ())]
    return sorted({actions[name].credential if name in actions else f"of {name}" for name in names})


def _decided(request_id: int, given: Given, now: datetime) -> ActionRequest:
    policy = registry.current().policy
    try:
        request = found(request_id, lock=True)
    except MoveRefused as error:
        raise DecisionRefused(str(error)) from None
    _refuse(request, given, policy, now)
    decisions = [_stored(request, given, now)]
    child = ActionRequest.objects.select_for_update(of=("self",)).filter(undoes=request).first()
    if child is not None:
        decisions.append(_stored(child, given, now))
    if given.choice == Choice.DENY:
        _deny(request, given, now)
    elif is_enough(list(request.decisions.all()), policy.of(request.risk)):
        _approve(request, child, policy, given, now)
    return request


def _refuse(request: ActionRequest, given: Given, policy: Policy, now: datetime) -> None:
    if given.choice not in list(Choice):
        raise DecisionRefused("Choose approve or deny.")
    wrong = _why_not_decided(request, now) or why_not_person(given.person, request)
    if not wrong and given.digest != request.digest:
        wrong = "What your page showed is not what is asked now. Load the page again and look at it anew."
    if not wrong and given.choice == Choice.APPROVE:
        wrong = _why_not_approved(given.person, request, given.stepup, now)
    wrong = wrong or _why_not_reason(given.reason, policy)
    if wrong:
        raise DecisionRefused(wrong)


def _why_not_approved(person: User, request: ActionRequest, stepup: StepUp | None, now: datetime) -> str:
    """Return why an approval would be worth nothing or comes from the wrong hands; "" for neither.

    A gate that only a person opens again would refuse what is approved now: it is said before, not after.
    """
    policy = registry.current().policy
    shut = order.lasting(request, now)
    if shut is not None:
        return f"The {shut.gate} would refuse it: {shut.sentence}."
    if FreezeException.objects.filter(request=request, by=person.actor).exists():
        return "You let this request through a freeze: somebody else has to approve it."
    return why_not_probed(credentials_of(request), policy, now) or why_not_step_up(
        stepup, policy.of(request.risk), now
    )


def _why_not_decided(request: ActionRequest, now: datetime) -> str:
    if request.undoes_id is not None:
        return f"A rollback is decided together with what it undoes: open request {request.undoes_id}."
    if request.state != State.PROPOSED:
        return f"Request {request.pk} is {request.state}: there is nothing left to decide."
    if now >= request.decide_by:
        return f"Request {request.pk} had to be decided by {request.decide_by:%H:%M:%S} UTC."
    if not request.digest:
        waiting = request.outcome or "the execute worker has not read the target yet"
        return f"There is nothing to decide yet: {waiting}."
    return ""


def _why_not_reason(reason: str, policy: Policy) -> str:
    words = reason.strip()
    if not policy.reason_least <= len(words) <= _LONGEST:
        return f"Say why, in {policy.reason_least} to {_LONGEST} characters."
    if policy.ticket_pattern and not re.search(policy.ticket_pattern, words):
        return f"Name the ticket in your reason; it has to match {policy.ticket_pattern}."
    return ""


def _stored(request: ActionRequest, given: Given, now: datetime) -> Decision:
    person, proof = given.person, given.stepup
    glass = open_glass(person, now) if given.choice == Choice.APPROVE else None
    method_at = proof.at if proof else now
    values = {
        "choice": given.choice,
        "group": group_of(person, request),
        "reason": given.reason.strip(),
        "method": proof.method.value if proof else "session",
    }
    entry = write(
        request,
        Note(
            "write.decided",
            person.actor,
            {
                **values,
                "method_at": as_text(method_at),
                "person": person.pk,
                "glass": glass.pk if glass else None,
                "proposed_by": request.proposed_by,
                "token_owner": request.token_owner,
            },
        ),
    )
    return Decision.objects.create(
        request=request,
        digest=given.digest if request.undoes_id is None else request.digest,
        proposer=request.proposer,
        editor=request.editor,
        token_owner=request.token_owner,
        person=person,
        opened_at=given.opened_at,
        decided_at=now,
        method_at=method_at,
        glass=glass,
        entry=entry,
        **values,
    )


def _deny(request: ActionRequest, given: Given, now: datetime) -> None:
    note = Note("write.denied", given.person.actor, {"because": given.reason.strip()})
    move(request, State.DENIED, note, now=now, outcome=f"denied by {given.person}")
    end_rollback(request, State.DENIED, actor=given.person.actor, now=now)


def _approve(
    request: ActionRequest, child: ActionRequest | None, policy: Policy, given: Given, now: datetime
) -> None:
    actor = given.person.actor
    until = {request: policy.execute_seconds}
    if child is not None:
        until[child] = policy.rollback_seconds
    for each, seconds in until.items():
        by = now + timedelta(seconds=seconds)
        note = Note("write.agreed", actor)
        if not move(each, State.APPROVED, note, now=now, approved_at=now, execute_by=by, outcome=""):
            raise DecisionRefused(f"Request {each.pk} was decided meanwhile. Load the page again.")
        entry = write(each, Note(binding.APPROVED, actor, binding.bound(each)))
        ActionRequest.objects.filter(pk=each.pk).update(approved_entry=entry)
        each.refresh_from_db()
    transaction.on_commit(lambda: sending.now("execute", request.pk))
