"""The first gate: what is to be executed is what people approved, byte for byte, and its time is not over."""

from datetime import datetime

from approvals import binding
from approvals.actions.registry import Declared
from approvals.digesting import Content, NotDigestible, content_of, digest_of_text
from approvals.models import ActionRequest
from approvals.outcomes import GateSaid, blocked, ok
from approvals.policy import Policy
from approvals.quorum import is_enough
from approvals.states import Phase, State

NAME = "digest"


def read(request: ActionRequest) -> Content | str:
    """Return the content of a request's body, or why it is not what its digest says."""
    if digest_of_text(request.body) != request.digest:
        return "superseded: the digest of what is stored is not the one that was approved"
    try:
        content = content_of(request.body)
    except NotDigestible as error:
        return f"superseded: {error}"
    beside = {
        "request": request.pk, "action": request.action, "target": request.target, "risk": request.risk,
        "undoes": request.undoes_id, "incident": request.incident_id, "team": request.team_id,
    }  # fmt: skip
    for name, value in beside.items():
        if content.plain[name] != value:
            return f"superseded: the {name} beside the body is not the body's"
    return content


def ask(request: ActionRequest, declared: Declared, phase: Phase, now: datetime) -> GateSaid:
    """Say whether body, columns, decisions, policy and time are those of the approval."""
    content = read(request)
    if isinstance(content, str):
        return blocked(NAME, content)
    if request.action not in declared.actions:
        return blocked(NAME, f"the action {request.action} is not declared any more")
    if content.policy != declared.policy.version:
        return blocked(NAME, "superseded: the policy has changed since it was proposed")
    if phase is Phase.SHOWN and request.state == State.PROPOSED:
        return _still_open(request, now)
    return _approved(request, declared.policy, phase, now)


def _still_open(request: ActionRequest, now: datetime) -> GateSaid:
    if now >= request.decide_by:
        return blocked(NAME, f"it had to be decided by {request.decide_by:%H:%M:%S} UTC")
    return ok(NAME, "the content is as its digest says")


def _approved(request: ActionRequest, policy: Policy, phase: Phase, now: datetime) -> GateSaid:
    difference = binding.difference(request, is_claimed=phase is Phase.BEFORE_CALL)
    if difference:
        return blocked(NAME, f"superseded: {difference}")
    # The claim was in time; from there on the lease counts.
    if phase is not Phase.BEFORE_CALL and (request.execute_by is None or now >= request.execute_by):
        return blocked(NAME, "the time to execute it is over")
    if any(each.digest != request.digest for each in request.decisions.all()):
        return blocked(NAME, "superseded: a decision was given for another content")
    if not is_enough(list(request.decisions.all()), policy.of(request.risk)):
        return blocked(NAME, "superseded: its decisions are not enough any more")
    return ok(NAME, "the content is what was approved, and its time is not over")
