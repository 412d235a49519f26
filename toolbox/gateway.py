"""The one way to a tool: every call, refused ones too, is one `tool.called` entry."""

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db import transaction

from assay_core.arguments import one_form
from assay_core.canonical import NotCanonical, canonical
from assay_core.instants import as_text
from assay_core.results import Status
from audit import reading, writing
from toolbox import counting, registry, schemas
from toolbox.called import Called
from toolbox.connectors.base import Outcome
from toolbox.definitions import ToolDefinition
from toolbox.registry import Toolbox
from toolbox.scope import CallScope
from toolbox.values import Cleaner

KIND = "tool.called"
_ARGUMENT_BYTES = 16_384
_log = logging.getLogger(__name__)


class InsideTransaction(RuntimeError):
    """A tool was called while the caller's transaction is open, where its entry could be rolled back."""


def call(tool: str, arguments: Mapping[str, Any], scope: CallScope) -> Called:
    """Ask one tool and return what its entry holds.

    Whatever a tool does is a status, never an exception. The entry is written in a durable transaction of its
    own. Raises InsideTransaction when the caller has one open, and the database's error when the entry cannot
    be written: then the call has no result.
    """
    _refuse_open_transaction()
    called_at = datetime.now(UTC)
    toolbox = registry.current()
    definition = toolbox.definitions.get(tool) if isinstance(tool, str) else None
    asked, unreadable = _readable(arguments)
    formed = one_form(asked, definition.tool_shape) if definition else asked
    refusal = unreadable or _refusal(tool, definition, formed, scope)
    if definition is None or refusal:
        outcome = Outcome(Status.REFUSED, reason=refusal)
    else:
        outcome = _outcome(toolbox, definition, formed, called_at)
    payload = {
        "tool": Cleaner().clean(str(tool)[:100]),
        "title": definition.title if definition else "",
        "definition": definition.digest if definition else "",
        "connector": definition.connector if definition else "",
        "arguments": formed,
        "asked": asked,
        "status": outcome.status.value,
        "result": outcome.result,
        "reason": outcome.reason,
        "covered": outcome.covered,
        "truncated": outcome.status is Status.TRUNCATED,
        "replaced": outcome.replaced,
        "called_at": as_text(called_at),
        "finished_at": as_text(datetime.now(UTC)),
        "asked_by": scope.caller,
        "via": scope.via,
    }
    called = _record(payload, scope)
    counting.note_call(
        definition.name if definition else "(unknown)",
        scope.caller,
        outcome.status.value,
        (called.finished_at - called_at).total_seconds(),
    )
    return called


def entries_of_run(investigation: int) -> tuple[Called, ...]:
    """Return every call of one investigation in the order of their entries; erased ones are left out."""
    return tuple(
        Called.from_payload(stored.id, stored.leaf, stored.payload)
        for stored in reading.of_investigation(investigation)
        if stored.kind == KIND and stored.payload is not None
    )


def _refuse_open_transaction() -> None:
    try:
        with transaction.atomic(durable=True):
            pass
    except RuntimeError:
        raise InsideTransaction(
            "gateway.call inside an open transaction: its entry could be rolled back after "
            "somebody has seen it. Call tools outside transaction.atomic()."
        ) from None


def _readable(arguments: object) -> tuple[dict[str, Any], str]:
    """Return the arguments as plain JSON, or nothing and the reason why they cannot be read."""
    if not isinstance(arguments, Mapping):
        return {}, f"the arguments are {type(arguments).__name__}, not an object"
    try:
        text = canonical(arguments)
    except (NotCanonical, RecursionError) as error:
        return {}, f"the arguments cannot be read: {error}"[:300]
    if len(text) > _ARGUMENT_BYTES:
        return {}, f"the arguments take {len(text)} bytes; at most {_ARGUMENT_BYTES} are read"
    plain: dict[str, Any] = json.loads(text)
    return plain, ""


def _refusal(
    tool: str, definition: ToolDefinition | None, arguments: Mapping[str, Any], scope: CallScope
) -> str:
    """Return why the call is refused, or nothing. Every call spends one of the budget, refused ones too."""
    within_budget = scope.budget is None or scope.budget.take()
    if definition is None:
        return f"there is no tool named {str(tool)[:100]!r}"
    wrong = schemas.complaint(arguments, definition.input)
    if wrong:
        return f"the arguments are not as the tool declares them: {wrong}"
    if scope.allow is not None and tool not in scope.allow:
        return f"{tool} is not among the tools that this run may ask"
    if not within_budget:
        return "the budget of this run is spent"
    return ""


def _outcome(
    toolbox: Toolbox, definition: ToolDefinition, arguments: Mapping[str, Any], called_at: datetime
) -> Outcome:
    connector = toolbox.connectors[definition.connector]
    try:
        outcome = connector.ask(definition, arguments, called_at)
        return _checked(outcome, definition)
    except Exception as error:  # noqa: BLE001 the tool boundary: whatever a connector does ends as an entry
        _log.exception("the connector %s failed in an unexpected way", connector.name)
        return Outcome(
            Status.ERROR, reason=f"the connector failed in an unexpected way ({type(error).__name__})"
        )


def _checked(outcome: Outcome, definition: ToolDefinition) -> Outcome:
    """Return the outcome, or an error in its place when the result is not what the tool declares."""
    if outcome.status is Status.OBSERVED or (
        outcome.status is Status.TRUNCATED and outcome.result is not None
    ):
        wrong = schemas.complaint(outcome.result, definition.output)
        if wrong:
            reason = f"the result is not as the tool declares it: {wrong}"
            return Outcome(Status.ERROR, outcome.result, reason, outcome.covered, outcome.replaced)
    return outcome


def _record(payload: Mapping[str, Any], scope: CallScope) -> Called:
    plain = json.loads(canonical(payload))
    with transaction.atomic(durable=True):
        ref = writing.write(
            KIND, plain, actor=scope.caller, incident=scope.incident, investigation=scope.investigation
        )
    return Called.from_payload(ref.id, ref.leaf, plain)
