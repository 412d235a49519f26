"""The gates that read the target anew: its version and state, and what the write would touch."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from approvals.actions.base import Footprint
from approvals.gates.base import Passage
from approvals.models import Execution
from approvals.outcomes import GateSaid, blocked, could_not_check, ok
from approvals.states import Phase, State

_HOUR = timedelta(hours=1)
_REPLICAS = "replicas"


def precondition(passage: Passage) -> GateSaid:
    """Whether the target is as it was when people approved, and the write still makes sense on it."""
    name = "precondition"
    now = passage.observed
    if passage.request.undoes_id is None:
        approved = passage.content.observed.version
    else:
        approved = left_by(passage.request.undoes_id)
        if passage.phase is Phase.SHOWN and not approved:
            return could_not_check(name, "nothing has been written yet that it could undo")
        if not approved:
            return could_not_check(name, "nobody knows in which version the write left the target")
    if not approved or now.version != approved:
        return blocked(
            name, f"the target changed: version {approved[:60]} was approved, {now.version[:60]} is there"
        )
    wrong = passage.action.precondition(passage.content.arguments, now)
    return blocked(name, wrong) if wrong else ok(name, "the target is as it was approved")


def blast_radius(passage: Passage) -> GateSaid:
    """Whether the write touches what it may, no more than was approved, and not too often."""
    name = "blast radius"
    approved = passage.content.footprint
    touched, tried = approved, "as tried when it was proposed"
    if passage.hands is not None:
        touched, tried = passage.action.dry_run(passage.content.arguments, passage.hands()), "tried anew"
        if not touched.objects:
            return could_not_check(name, "the dry run says that nothing would be touched")
        if not touched.is_within(approved):
            return blocked(name, "the write would touch now what was not approved, or change it otherwise")
    wrong = limits(touched, passage) or _too_often(passage)
    if wrong:
        return blocked(name, wrong)
    return ok(name, f"touches {len(touched.objects)} object(s), {tried}")


def approved_limits(passage: Passage) -> GateSaid:
    """Whether what was tried when it was proposed is within the policy: that does not change any more."""
    wrong = limits(passage.content.footprint, passage)
    return blocked("blast radius", wrong) if wrong else ok("blast radius", "within the policy's limits")


def limits(touched: Footprint, passage: Passage) -> str:
    """Return which limit of the policy a footprint breaks; "" for none."""
    policy = passage.policy
    if len(touched.objects) > policy.objects_at_most:
        return f"{len(touched.objects)} objects would be touched, and {policy.objects_at_most} are the most"
    outside = sorted(set(touched.namespaces) - set(policy.namespaces))
    if outside:
        return f"the namespace {outside[0]} is not one that writes may touch"
    for each in (passage.request.target, *touched.objects):
        if any(_is_like(each, pattern) for pattern in policy.protected):
            return f"{each} is protected"
    return _scaling(touched.before, touched.after, policy.scale_factor)


def _scaling(before: Mapping[str, Any], after: Mapping[str, Any], factor: int) -> str:
    if _REPLICAS not in before and _REPLICAS not in after:
        return ""
    then, since = before.get(_REPLICAS), after.get(_REPLICAS)
    if not _is_count(then) or not _is_count(since):
        return "its replicas before and after cannot be read"
    assert isinstance(then, int)
    assert isinstance(since, int)
    if since == 0:
        return "it would scale to zero"
    if then == 1 and since <= 1:
        return "the target has one replica only"
    if since > then * factor or then > since * factor:
        return f"it would scale from {then} to {since}, by more than the factor {factor}"
    return ""


def _too_often(passage: Passage) -> str:
    made = (
        Execution.objects.filter(request__action=passage.request.action, claimed_at__gt=passage.now - _HOUR)
        .exclude(request=passage.request)
        .exclude(request__state=State.ABORTED)
        .count()
    )
    most = passage.policy.writes_an_hour
    return f"{made} such writes were made within an hour, and {most} are the most" if made >= most else ""


def left_by(request_id: int) -> str:
    """Return the version in which a write left its target; "" where nobody knows it."""
    done = Execution.objects.filter(request=request_id, request__state=State.SUCCEEDED).first()
    return done.after_version if done else ""


def _is_like(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
