"""What stands before a question, in order: each step lets the call go on or says why it is refused.

The order is the promise. A deny beats every allow, token and mode; nobody is asked to allow what is paused; a
person's yes opens nothing that the investigation may not ask; a question that is refused for what it is costs
the tool none of its capacity.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings

from assay_core.arguments import one_form
from assay_core.canonical import digest
from toolbox import acknowledgements, asks, limits, proofs, schemas, toolrules
from toolbox.connectors.base import Connector
from toolbox.definitions import ToolDefinition
from toolbox.limits import Limit, Taken
from toolbox.models import Effect
from toolbox.redaction import Cut, copy_for_readers
from toolbox.scope import CallScope
from toolbox.toolrules import Held, Standing

_SHOWN_TO_ALLOW = Cut(text=2_000, items=50)
_COMPLAINTS = 3  # a name misspelt is two: one that lacks and one that is unknown
_BUDGET_SECONDS = 7 * 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Question:
    """One call before it is put: what was asked, in both its forms, by whom, and what stands now."""

    tool: str
    asked: Mapping[str, Any]
    arguments: Mapping[str, Any]
    scope: CallScope
    standing: Standing
    unreadable: str = ""
    definition: ToolDefinition | None = None
    connector: Connector | None = None
    is_within_budget: bool = True


@dataclass(frozen=True, slots=True)
class Passage:
    """How far a question came. `stopped_by` is empty where it may be put."""

    stopped_by: str = ""
    reason: str = ""
    taken: Taken = field(default_factory=Taken)


Step = Callable[[Question], str]


def caller(question: Question) -> str:
    """Refuse a call that cannot be read, or that says two things of whom it is for."""
    if question.unreadable:
        return question.unreadable
    scope = question.scope
    if scope.is_derived and scope.investigation is None:
        return "a question that a rule demands belongs to an investigation, and this one names none"
    return ""


def deny(question: Question) -> str:
    """Refuse what a deny rule means, whatever else would allow it."""
    for rule in question.standing.of(Effect.DENY):
        if _means(rule, question):
            return f"tool rule {rule.id} denies it: {rule.because}"
    return ""


def tool(question: Question) -> str:
    """Refuse a tool that is not there."""
    if question.definition is None or question.connector is None:
        return f"there is no tool named {question.tool[:100]!r}"
    return ""


def pause(question: Question) -> str:
    """Refuse a tool that somebody switched off."""
    for rule in question.standing.of(Effect.PAUSE):
        if rule.pattern.tool == question.tool:
            return f"{question.tool} is paused (tool rule {rule.id}): {rule.because}"
    return ""


def changed(question: Question) -> str:
    """Refuse a tool whose changed declaration nobody has acknowledged."""
    return acknowledgements.obstacle(question.definition) if question.definition else ""


def ask(question: Question) -> str:
    """Wait for a person where an ask rule demands one. What was denied or paused meanwhile is refused."""
    demanded = _demanded(question)
    if not demanded:
        return ""
    refusal = asks.permission(_to_be_allowed(question, demanded[0]))
    if refusal:
        return refusal
    now = replace(question, standing=toolrules.standing())
    return deny(now) or pause(now)


def allow(question: Question) -> str:
    """Refuse what is not among the tools of this run or token."""
    if question.scope.allow is not None and question.tool not in question.scope.allow:
        return f"{question.tool} is not among the tools that this run may ask"
    return ""


def schema(question: Question) -> str:
    """Refuse arguments that are not as the tool declares them."""
    if question.definition is None:
        return ""
    wrong = "; ".join(schemas.complaints(question.arguments, question.definition.input, most=_COMPLAINTS))
    return f"the arguments are not as the tool declares them: {wrong}" if wrong else ""


def subject(question: Question) -> str:
    """Refuse a question about anybody but the subject. Not for code that derives its questions from it."""
    definition, scope = question.definition, question.scope
    if definition is None or not definition.scope or scope.is_derived:
        return ""
    if scope.subject is None:
        return f"{question.tool} is asked about the subject of an investigation, and this call has none"
    for argument, identifier in definition.scope.items():
        if identifier not in scope.subject:
            return f"{argument} must be the subject's {identifier}, which the subject does not have"
        own = one_form({argument: scope.subject[identifier]}, definition.tool_shape)[argument]
        if _as_text(question.arguments.get(argument)) != _as_text(own):
            return f"{argument} must be the subject's {identifier}"
    return ""


def proof(question: Question) -> str:
    """Refuse a connector whose credential is not proven, now, to read only."""
    return proofs.obstacle(question.connector) if question.connector else ""


BEFORE_LIMITS: tuple[Step, ...] = (caller, deny, tool, pause, changed, ask, allow, schema, subject)
AFTER_LIMITS: tuple[Step, ...] = (proof,)
_AT_ONCE = tuple(step for step in BEFORE_LIMITS if step not in (changed, ask))
ORDER = (*(step.__name__ for step in BEFORE_LIMITS), "budget", *(step.__name__ for step in AFTER_LIMITS))


def ahead(question: Question) -> Taken | None:
    """Count a question against its limits, under rules that are just being read anew.

    None, and nothing counted, where a step before the limits refuses it, or would ask a person or the
    database. Whoever takes it gives it back unless the question is put under these very rules.
    """
    definition, scope = question.definition, question.scope
    if scope.is_derived or not question.is_within_budget or _demanded(question):
        return None
    if definition is None or not acknowledgements.is_known(definition):
        return None
    return None if any(step(question) for step in _AT_ONCE) else _taken(question)


def passage(question: Question, taken: Taken | None = None) -> Passage:
    """Walk the steps in order and stop at the first that refuses. A refused call counts for its caller.

    `taken` is what `ahead` returned for this question under these rules.
    """
    for step in BEFORE_LIMITS if taken is None else ():
        reason = step(question)
        if reason:
            return Passage(step.__name__, reason, limits.note(_of_caller(question)))
    taken = taken or _taken(question)
    if taken.refusal:
        return Passage("budget", taken.refusal, taken)
    for step in AFTER_LIMITS:
        reason = step(question)
        if reason:
            return Passage(step.__name__, reason, taken)
    return Passage(taken=taken)


def _taken(question: Question) -> Taken:
    if not question.is_within_budget:
        return replace(limits.note(_of_caller(question)), refusal="the budget of this run is spent")
    every = [*_of_caller(question), _of_tool(question)]
    # What a rule demands is bounded by its run: refused for load, it would cost a person a look for nothing.
    return limits.note(every) if question.scope.is_derived else limits.take(every)


def _of_caller(question: Question) -> list[Limit]:
    scope = question.scope
    if scope.is_derived:
        return []
    own = Limit(
        f"caller:{scope.caller}",
        settings.CALLER_CALLS_A_MINUTE,
        60.0,
        f"{scope.caller} asks too often",
    )
    if scope.investigation is None:
        return [own]
    run = Limit(
        f"investigation:{scope.investigation}",
        settings.INVESTIGATION_MAX_CALLS,
        _BUDGET_SECONDS,
        f"the budget of investigation {scope.investigation} is spent",
    )
    return [own, run]


def _of_tool(question: Question) -> Limit:
    return Limit(
        f"tool:{question.tool}", settings.TOOL_CALLS_A_MINUTE, 60.0, f"{question.tool} is asked too often"
    )


def _demanded(question: Question) -> list[Held]:
    return [rule for rule in question.standing.of(Effect.ASK) if _means(rule, question)]


def _means(rule: Held, question: Question) -> bool:
    return rule.pattern.matches(question.tool, question.scope.caller, question.arguments, question.asked)


def _to_be_allowed(question: Question, rule: Held) -> asks.Asked:
    hints = question.definition.redact if question.definition else ()
    return asks.Asked(
        rule=rule.id,
        tool=question.tool,
        caller=question.scope.caller,
        shown=copy_for_readers(question.arguments, hints=hints, cut=_SHOWN_TO_ALLOW).value,
        arguments_digest=digest(question.arguments),
        incident=question.scope.incident,
        investigation=question.scope.investigation,
    )


def _as_text(value: Any) -> str | None:
    """Identifiers are texts; a tool may take the same number as an integer."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value)
