"""The one way to a tool: every call, refused ones too, is one `tool.called` entry."""

import json
import logging
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections, transaction

from assay_core.arguments import one_form
from assay_core.canonical import NotCanonical, canonical
from assay_core.instants import as_text, from_text
from assay_core.results import Status
from audit import reading, writing
from audit.writing import Body, Row
from toolbox import counting, proofs, redaction, registry, schemas, steps, toolrules
from toolbox.called import Called
from toolbox.connectors.base import Connector, Outcome
from toolbox.definitions import ToolDefinition
from toolbox.limits import Taken
from toolbox.redaction import READERS_CUT, Redacted, copy_for_readers
from toolbox.scope import CallScope
from toolbox.steps import Passage, Question
from toolbox.toolrules import Reading, Standing
from toolbox.values import Cleaner

KIND = "tool.called"
_ARGUMENT_BYTES = 16_384
_BESIDES_SECONDS = 5.0
_log = logging.getLogger(__name__)
# Every call writes one, so it goes past the ORM.
_LINE = """
    INSERT INTO toolbox_call (entry, leaf, recorded_at, tool, connector, status, stopped_by, caller, incident,
                              investigation, milliseconds)
    SELECT id, leaf, recorded_at, %(tool)s, %(connector)s, %(status)s, %(stopped_by)s, %(caller)s,
           %(incident)s::bigint, %(investigation)s::bigint, %(milliseconds)s::integer FROM entry
"""


class InsideTransaction(RuntimeError):
    """A tool was called while the caller's transaction is open, where its entry could be rolled back."""


def call(
    tool: str,
    arguments: Mapping[str, Any],
    scope: CallScope,
    *,
    standing: Standing | Reading | None = None,
    meanwhile: Callable[[Called], None] | None = None,
) -> Called:
    """Ask one tool and return what its entry holds, whole: a reader is given `shown` of it.

    The steps before the question, and their order, are those of toolbox.steps. Whatever a tool does is a
    status, never an exception. The entry is written in a durable transaction of its own. Raises
    InsideTransaction when the caller has one open, and the database's error when the entry cannot be written:
    then the call has no result. `standing` is what stands of tool rules where the caller has just read that,
    or reads it: what that raises is raised, and nothing is counted or recorded.
    `meanwhile` is given the call as entry 0, while its entry is written: nobody may see it yet.
    """
    _refuse_open_transaction()
    if isinstance(standing, Standing):
        question, taken = _question(tool, arguments, scope, standing=standing), None
    else:
        question, taken = _read_ahead(tool, arguments, scope, standing or toolrules.standing)
    called_at = datetime.now(UTC)
    passage = steps.passage(question, taken)
    if passage.stopped_by or question.definition is None or question.connector is None:
        outcome = Outcome(_refused_how(question, passage), reason=passage.reason)
    else:
        definition = _hurried(question.definition, scope.seconds)
        outcome = _outcome(question.connector, definition, question.arguments, called_at)
    try:
        written = _written(question, passage, outcome, called_at)
    except NotCanonical as wrong:
        outcome = Outcome(
            Status.ERROR, reason=f"what the connector answers cannot be recorded: {wrong}"[:300]
        )
        written = _written(question, passage, outcome, called_at)
    called = _record(written, scope, meanwhile)
    counting.note_call(
        question.definition.name if question.definition else "(unknown)",
        scope.caller,
        outcome.status.value,
        (called.finished_at - called_at).total_seconds(),
    )
    return called


def shown(called: Called) -> Redacted:
    """Return the copy of a call's result that models and pages see. The record stays whole."""
    if called.copied is not None:
        return called.copied
    definition = registry.current().definitions.get(called.tool)
    hints = definition.redact if definition else ()
    return copy_for_readers(called.result, hints=hints, cut=READERS_CUT)


def longest(tool: str, caller: str, *, standing: Standing | None = None) -> float:
    """Return how many seconds a call may take: the tool's own, a person's, and what stands around them.

    `standing` is as for `call`.
    """
    definition = registry.current().definitions.get(tool)
    waits = settings.TOOL_ASK_SECONDS if (standing or toolrules.standing()).may_ask(tool, caller) else 0
    return waits + (definition.limits.seconds if definition else 0.0) + _BESIDES_SECONDS


def entries_of_run(investigation: int) -> tuple[Called, ...]:
    """Return every call of one investigation in the order of their entries; erased ones are left out."""
    return tuple(
        Called.from_payload(stored.id, stored.leaf, stored.payload)
        for stored in reading.of_investigation(investigation)
        if stored.kind == KIND and stored.payload is not None
    )


def _refused_how(question: Question, passage: Passage) -> Status:
    """A credential that could not be proven is no decision: the place is out of reach."""
    if passage.stopped_by == "proof" and not (question.connector and proofs.is_refused(question.connector)):
        return Status.UNAVAILABLE
    return Status.REFUSED


def _refuse_open_transaction() -> None:
    link = connections[DEFAULT_DB_ALIAS]
    if link.in_atomic_block:
        # Django says whether the block is a test's own, which is no transaction of anybody's.
        with suppress(RuntimeError), transaction.atomic(durable=True):
            return
    elif link.connection is None or link.autocommit:
        return
    raise InsideTransaction(
        "gateway.call inside an open transaction: its entry could be rolled back after "
        "somebody has seen it. Call tools outside transaction.atomic()."
    )


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


def _question(tool: object, arguments: object, scope: CallScope, *, standing: Standing) -> Question:
    """Read what was asked. Every call spends one of the run's budget, those that are refused too."""
    toolbox = registry.current()
    name = tool if isinstance(tool, str) else str(tool)
    definition = toolbox.definitions.get(name)
    asked, unreadable = _readable(arguments)
    return Question(
        tool=Cleaner().clean(name[:100]),
        asked=asked,
        arguments=one_form(asked, definition.tool_shape) if definition else asked,
        scope=scope,
        standing=standing,
        unreadable=unreadable,
        definition=definition,
        connector=toolbox.connectors[definition.connector] if definition else None,
        is_within_budget=scope.budget is None or scope.budget.take(),
    )


def _read_ahead(
    tool: object, arguments: object, scope: CallScope, reads: Reading
) -> tuple[Question, Taken | None]:
    """Read the question and count it while the rules are read, as if those of moments ago still stood.

    Where they do not, or the caller turns out to be nobody, what was counted is given back.
    """
    before = toolrules.lately()
    guessed: list[tuple[Question, Taken | None]] = []

    def guess() -> None:
        question = _question(tool, arguments, scope, standing=before or Standing())
        guessed.append((question, steps.ahead(question) if before is not None else None))

    try:
        standing = reads(guess)
        question, taken = (
            guessed[-1] if guessed else (_question(tool, arguments, scope, standing=standing), None)
        )
        if standing == question.standing:
            guessed.clear()
            return question, taken
        return replace(question, standing=standing), None
    finally:
        for _, idle in guessed:
            if idle is not None:
                idle.give_back()


@dataclass(frozen=True, slots=True)
class _Written:
    """What is recorded of a call, that as one text, and the copy of its result for readers."""

    payload: Mapping[str, Any]
    body: Body
    copied: Redacted


def _written(question: Question, passage: Passage, outcome: Outcome, called_at: datetime) -> _Written:
    """Raises NotCanonical."""
    copied = _copied(outcome, question.definition)
    payload = _payload(question, passage, outcome, called_at) | _masked(copied, outcome, question.definition)
    return _Written(payload, Body.of(payload), copied)


def _payload(question: Question, passage: Passage, outcome: Outcome, called_at: datetime) -> dict[str, Any]:
    definition, scope = question.definition, question.scope
    return {
        "tool": question.tool,
        "title": definition.title if definition else "",
        "definition": definition.digest if definition else "",
        "connector": definition.connector if definition else "",
        "arguments": question.arguments,
        "asked": question.asked,
        "status": outcome.status.value,
        "result": outcome.result,
        # What others wrote may stand in a reason, and no check reads one.
        "reason": redaction.text(outcome.reason),
        "covered": outcome.covered,
        "truncated": outcome.status is Status.TRUNCATED,
        "replaced": outcome.replaced,
        "stopped_by": passage.stopped_by,
        "limits_counted_by": "all processes" if passage.taken.is_shared else "this process alone",
        "called_at": as_text(called_at),
        "finished_at": as_text(datetime.now(UTC)),
        "asked_by": scope.caller,
        "via": scope.via,
    }


def _hurried(definition: ToolDefinition, seconds: float | None) -> ToolDefinition:
    if seconds is None or seconds >= definition.limits.seconds:
        return definition
    return replace(definition, limits=replace(definition.limits, seconds=seconds))


def _copied(outcome: Outcome, definition: ToolDefinition | None) -> Redacted:
    hints = definition.redact if definition else ()
    return copy_for_readers(outcome.result, hints=hints, cut=READERS_CUT)


def _masked(copied: Redacted, outcome: Outcome, definition: ToolDefinition | None) -> dict[str, Any]:
    """Say what was masked in the whole result: where nothing was cut, that is what the copy says."""
    hints = definition.redact if definition else ()
    whole = copied if copied.is_whole else copy_for_readers(outcome.result, hints=hints)
    return {"redacted": whole.plain()}


def _outcome(
    connector: Connector, definition: ToolDefinition, arguments: Mapping[str, Any], called_at: datetime
) -> Outcome:
    try:
        outcome = connector.ask(definition, arguments, called_at)
        return _checked(outcome, definition)
    except Exception as error:  # noqa: BLE001 the tool boundary: whatever a connector does ends as an entry
        # Where it happened, without its words: those may hold a connection string.
        place = "".join(traceback.format_tb(error.__traceback__))
        _log.error("the connector %s failed: %s\n%s", connector.name, type(error).__name__, place)
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


def _record(written: _Written, scope: CallScope, meanwhile: Callable[[Called], None] | None) -> Called:
    """Write the entry and its line of models.Call by one statement, which is a transaction of its own."""
    payload = written.payload
    seconds = (from_text(payload["finished_at"]) - from_text(payload["called_at"])).total_seconds()
    line = {
        **{name: payload[name] for name in ("tool", "connector", "status", "stopped_by")},
        "caller": scope.caller,
        "milliseconds": max(0, round(seconds * 1000)),
    }
    coming: list[Called] = []

    def read() -> None:
        # As the entry will be read: an answer is made of nothing else.
        called = Called.from_payload(0, "", written.body.plain(), written.copied)
        coming.append(called)
        if meanwhile is not None:
            meanwhile(called)

    _refuse_open_transaction()
    ref = writing.write_beside(
        Row(_LINE, line),
        KIND,
        written.body,
        actor=scope.caller,
        incident=scope.incident,
        investigation=scope.investigation,
        meanwhile=read,
    )
    return replace(coming[-1], entry=ref.id, leaf=ref.leaf)
