"""Answering a repeated run's calls from its world, as the gateway would have: nothing is written.

The tools stay behind the one gateway: it alone is asked where somebody chose that calls which were never
recorded go to the live tool.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from assay_core.arguments import one_form
from assay_core.canonical import NotCanonical, canonical
from assay_core.results import Status
from investigations.outcomes import BudgetSpent
from toolbox import gateway, registry, schemas
from toolbox.definitions import ToolDefinition
from toolbox.redaction import Redacted
from toolbox.scope import Budget as Calls
from toolbox.scope import CallScope
from trials.states import Source
from trials.worlds import World
from verdicts.case import Entry

#: What stands in a case for the investigation that there is not.
RUN = 1
CALLER = "evaluation"
_NO_LEAF = "not of the audit log"


@dataclass(frozen=True, slots=True)
class Answer:
    """One call of a run: what it was given, and where that came from."""

    entry: Entry
    source: Source
    recorded: int = 0  # the entry of the audit log, where it came from there
    is_redeclared: bool = False
    is_own: bool = False  # of the agent, before code asked what was missing


class Record:
    """The answers of one run, numbered as they were given. `via` is set where live tools may be asked."""

    def __init__(self, world: World, *, via: str = "") -> None:
        self.world, self.via = world, via
        self.answers: list[Answer] = []
        self.is_own = True
        self._numbers = count(1)

    def entries(self) -> dict[int, Entry]:
        """Return what the run was answered so far."""
        return {each.entry.id: each.entry for each in self.answers}

    def keep(self, answer: Answer) -> Entry:
        """Keep an answer under the next number of this run."""
        numbered = replace(answer, entry=replace(answer.entry, id=next(self._numbers), investigation=RUN))
        self.answers.append(numbered)
        return numbered.entry


@dataclass(slots=True)
class Asked:
    """Puts a run's questions to its world, in one name, as often as its limit lets it."""

    record: Record
    scope: CallScope
    limit: int
    calls: Calls = field(init=False)
    last: tuple[int, Redacted] | None = None

    def __post_init__(self) -> None:
        self.calls = Calls(self.limit)

    def copy_of(self, entry: int) -> Redacted | None:
        """Return the masked copy of the last answer, if it is this one."""
        return self.last[1] if self.last is not None and self.last[0] == entry else None

    def on_behalf_of(self, caller: str) -> "Asked":
        """Return an asker in another name that spends the same budget."""
        other = Asked(self.record, replace(self.scope, caller=caller), self.limit)
        other.calls = self.calls
        return other

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Entry:
        """Return the recorded answer, or that there is none. Raises BudgetSpent."""
        if not self.calls.take():
            raise BudgetSpent(f"The limit of {self.limit} tool calls was reached.")
        definition = registry.current().definitions.get(tool)
        form = one_form(arguments, definition.tool_shape) if definition else dict(arguments)
        answer, copy = self._answer(tool, form, definition)
        entry = self.record.keep(answer)
        self.last = (entry.id, copy) if copy is not None else None
        return entry

    def _answer(
        self, tool: str, form: dict[str, Any], definition: ToolDefinition | None
    ) -> tuple[Answer, Redacted | None]:
        refusal = self._refusal(tool, form, definition)
        if refusal or definition is None:
            return self._made(tool, form, Status.REFUSED, refusal, Source.REFUSED), None
        world = self.record.world
        recorded = world.answer(tool, form)
        if recorded is None and self.record.via:
            return self._live(tool, form)
        if recorded is None:
            reason = "Not recorded: nobody asked exactly this when the incident was looked into."
            return self._made(tool, form, Status.UNAVAILABLE, reason, Source.NOT_RECORDED), None
        entry = replace(recorded.entry, asked_by=self.scope.caller)
        is_redeclared = bool(recorded.definition) and recorded.definition != definition.digest
        copy = world.copy_for_readers(recorded, tuple(definition.redact))
        return self._said(entry, Source.RECORDED, recorded.entry.id, is_redeclared=is_redeclared), copy

    def _refusal(self, tool: str, form: Mapping[str, Any], definition: ToolDefinition | None) -> str:
        """Say why production would refuse it whatever the world holds, or nothing."""
        try:
            canonical(form)
        except (NotCanonical, RecursionError) as error:
            return f"the arguments cannot be read: {error}"[:300]
        if definition is None:
            return f"there is no tool named {tool[:100]!r}"
        if self.scope.allow is not None and tool not in self.scope.allow:
            return f"{tool} is not among the tools that this run may ask"
        wrong = schemas.complaint(form, definition.input)
        return f"the arguments are not as the tool declares them: {wrong}" if wrong else ""

    def _live(self, tool: str, form: Mapping[str, Any]) -> tuple[Answer, Redacted | None]:
        """Ask the tool itself: an entry of the evaluation's, that names no incident and no investigation."""
        world, scope = self.record.world, self.scope
        subject = scope.subject or dict(world.subject.identifiers)
        asking = replace(scope, caller=CALLER, via=self.record.via, subject=subject, is_derived=False)
        called = gateway.call(tool, form, asking)
        made = self._made(tool, called.arguments, called.status, called.reason, Source.LIVE)
        entry = replace(made.entry, result=called.result, covered=called.covered, leaf=called.leaf)
        return replace(made, entry=entry, recorded=called.entry), gateway.shown(called)

    def _made(
        self, tool: str, form: Mapping[str, Any], status: Status, reason: str, source: Source
    ) -> Answer:
        now = self.record.world.now
        entry = Entry(
            id=0,
            leaf=_NO_LEAF,
            investigation=RUN,
            tool=tool,
            arguments=form,
            status=status,
            result=None,
            reason=reason,
            called_at=now,
            finished_at=now,
            asked_by=self.scope.caller,
        )
        return self._said(entry, source, 0)

    def _said(self, entry: Entry, source: Source, recorded: int, *, is_redeclared: bool = False) -> Answer:
        return Answer(entry, source, recorded, is_redeclared, self.record.is_own)
