"""Answering one call of a model: asked as it was written, or refused in words. Nothing is guessed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay_core.results import Status
from investigations.contract import parsing
from investigations.contract.parsing import Unparsable
from investigations.conversation import Kept
from investigations.demands import Ask, question
from investigations.marking import Marker, inert, shown
from investigations.outcomes import BudgetSpent
from investigations.repeats import Repeats
from investigations.states import StepKind
from investigations.talk import Finish, ToolCall, ToolOffer
from toolbox.redaction import Redacted
from verdicts.case import Entry

_ANSWERED = frozenset({Status.OBSERVED, Status.EMPTY, Status.TRUNCATED})
_NOT_RUN = "This call was not run."


@dataclass(frozen=True, slots=True)
class Answered:
    """What the model is told about one call; `entry` is 0 where nothing was asked."""

    text: str
    entry: int = 0
    status: str = "not run"


@dataclass(slots=True)
class Tools:
    """The tools of one run, and what was asked so far.

    `take` spends one call of the budget and raises BudgetSpent; `misasked` records a call that could not be
    read; `hints` names the fields of a tool's results that readers are not shown; `left` holds answers that a
    killed worker got and could not pass on; `copy_of` returns an answer's masked copy where there is one.
    """

    offers: Sequence[ToolOffer]
    ask: Ask
    marker: Marker
    take: Callable[[], None]
    misasked: Callable[[str, str], None]
    hints: Mapping[str, Sequence[str]] = field(default_factory=dict)
    left: dict[str, Entry] = field(default_factory=dict)
    copy_of: Callable[[int], Redacted | None] = lambda _: None
    repeats: Repeats = field(default_factory=Repeats)
    asked: dict[str, int] = field(default_factory=dict)

    def answer(self, call: ToolCall, finish: Finish) -> Answered:
        """Answer one call. Raises Repeating, LeaseLost; a spent budget is an answer like another."""
        try:
            self.take()
        except BudgetSpent as spent:
            return Answered(f"{_NOT_RUN} {spent} Submit now, with what you have.")
        if finish in (Finish.CUT_OFF, Finish.UNKNOWN, Finish.REFUSED):
            return self._unreadable(call, "The reply that holds it did not end as a whole one does.")
        declared = next((offer.input for offer in self.offers if offer.name == call.name), None)
        if declared is None:
            return self._unknown(call)
        try:
            arguments = parsing.arguments(call.arguments, declared)
        except Unparsable as wrong:
            return self._unreadable(call, str(wrong))
        return self._asked(call, arguments)

    def recall(self, steps: Sequence[Kept]) -> None:
        """Remember what an earlier attempt asked. Raises Repeating where that went in circles already."""
        calls: dict[str, ToolCall] = {}
        for step in steps:
            if step.reply is not None:
                calls = {call.id: call for call in step.reply.calls}
            call = calls.get(step.message.answers)
            if step.kind is not StepKind.ANSWER or call is None:
                continue
            arguments = self._recalled(call)
            self.repeats.note(call.name, call.arguments if arguments is None else arguments)
            if arguments is not None and step.entry:
                self.asked.setdefault(question(call.name, arguments), step.entry)

    def _recalled(self, call: ToolCall) -> dict[str, Any] | None:
        try:
            return parsing.arguments(call.arguments, {})
        except Unparsable:
            return None

    def _asked(self, call: ToolCall, arguments: Mapping[str, Any]) -> Answered:
        self.repeats.note(call.name, arguments)
        key = question(call.name, arguments)
        if key in self.asked:
            known = self.asked[key]
            return Answered(f"{_NOT_RUN} You asked exactly this already: entry {known} is its answer.", known)
        entry = self.left.pop(key, None) or self.ask(call.name, arguments)
        self.asked[key] = entry.id
        return Answered(self.told(entry), entry.id, entry.status.value)

    def _unknown(self, call: ToolCall) -> Answered:
        """Record a wish for a tool that there is not, and say which there are."""
        self.repeats.note(call.name, call.arguments)
        entry = self.ask(call.name, {})
        names = ", ".join(offer.name for offer in self.offers) or "none"
        return Answered(
            f"{_NOT_RUN} There is no tool {inert(call.name[:80])!r}. The tools are: {names}.", entry.id
        )

    def _unreadable(self, call: ToolCall, why: str) -> Answered:
        self.repeats.note(call.name, call.arguments)
        self.misasked(call.name, why)
        return Answered(f"{_NOT_RUN} {why} Send the call again with its arguments as one whole JSON object.")

    def told(self, entry: Entry) -> str:
        """Return an entry as the model is shown it: our words first, then what others wrote, marked."""
        head = f"Entry {entry.id}: {entry.tool} answered {entry.status.value}."
        if entry.status not in _ANSWERED:
            return f"{head} {self.marker.data('reason', entry.reason)}"
        masked, hints = self.copy_of(entry.id), tuple(self.hints.get(entry.tool, ()))
        result = shown(entry.result, hints=hints, masked=masked)
        reason = f"\n{self.marker.data('reason', entry.reason)}" if entry.reason else ""
        data = self.marker.data(f"result of entry {entry.id}", result)
        return f"{head} Cite it as [entry {entry.id}].\n{data}{reason}"
