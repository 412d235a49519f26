"""Looking for a write's effect: a read-only question through the gateway. What is not seen is unverified."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from approvals import breakers
from approvals.actions import registry
from approvals.actions.base import Check
from approvals.claiming import ACTOR
from approvals.digesting import content_of
from approvals.models import ActionRequest, Execution
from approvals.moving import Note, write
from approvals.states import State, Verification
from assay_core.results import Status
from toolbox import gateway
from toolbox.scope import CallScope

_MISSING = object()


def verify(request_id: int, *, now: datetime) -> ActionRequest | None:
    """Look for the effect of a write that succeeded, once, outside any transaction."""
    execution = (
        Execution.objects.select_related("request")
        .filter(
            request=request_id,
            request__state=State.SUCCEEDED,
            request__verification=Verification.NOT_YET,
            verify_at__lte=now,
        )
        .first()
    )
    if execution is None:
        return None
    request = execution.request
    said, how, entry = _looked(request)
    after = _version_after(request)
    with transaction.atomic():
        rows = ActionRequest.objects.filter(pk=request.pk, verification=Verification.NOT_YET)
        if not rows.update(verification=said, verified_how=how):
            return None
        Execution.objects.filter(pk=execution.pk).update(after_version=after)
        payload = {"verification": said.value, "how": how, "entry": entry, "after": after}
        write(
            request,
            Note("write.verified" if said is Verification.VERIFIED else "write.unverified", ACTOR, payload),
        )
    if said is Verification.UNVERIFIED:
        breakers.note(request.action, request.target, registry.current().policy, now)
    request.refresh_from_db()
    return request


def _looked(request: ActionRequest) -> tuple[Verification, str, int | None]:
    try:
        check = content_of(request.body).verify
    except Exception as error:  # noqa: BLE001 whatever cannot be read verifies nothing
        return (
            Verification.UNVERIFIED,
            f"what was to be looked for cannot be read ({type(error).__name__})",
            None,
        )
    if check is None:
        return Verification.UNVERIFIED, "the action says nothing about how its effect is seen", None
    scope = CallScope(caller=ACTOR, incident=request.incident_id, investigation=request.investigation_id)
    called = gateway.call(check.tool, check.arguments, scope)
    if called.status is not Status.OBSERVED:
        reason = called.reason or "nothing came back"
        return Verification.UNVERIFIED, f"{check.tool} answered {called.status.value}: {reason}", called.entry
    wrong = unmet(check, called.result)
    if wrong:
        return Verification.UNVERIFIED, wrong, called.entry
    return Verification.VERIFIED, f"{check.tool} shows what was expected", called.entry


def unmet(check: Check, result: Any) -> str:
    """Return which expectation a result does not meet; "" when it meets all, of which there has to be one."""
    if not check.expect:
        return "nothing is expected, so nothing can be seen"
    for path, expected in check.expect.items():
        found = _at(result, path)
        if found is _MISSING:
            return f"{path} is not in the answer"
        if found is None or type(found) is not type(expected) or found != expected:
            return f"{path} is {_short(found)} and was expected to be {_short(expected)}"
    return ""


def _at(result: Any, path: str) -> Any:
    for name in path.split("."):
        if isinstance(result, Mapping) and name in result:
            result = result[name]
        elif isinstance(result, list) and name.isdecimal() and int(name) < len(result):
            result = result[int(name)]
        else:
            return _MISSING
    return result


def _short(value: Any) -> str:
    return json.dumps(value, default=str)[:80]


def _version_after(request: ActionRequest) -> str:
    """Return the target's version as the write left it; "" where it cannot be read, which bars a rollback."""
    action = registry.current().actions.get(request.action)
    try:
        return action.observe(json.loads(request.arguments)).version[:200] if action else ""
    except Exception:  # noqa: BLE001 a rollback without a known version is refused, so nothing is lost
        return ""
