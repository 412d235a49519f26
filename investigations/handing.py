"""From the first word of a run to its submission.

One repair where it is malformed, one more turn where a fact that its hypothesis needs was never asked. Every
stage is told from the conversation, so that a run which was killed anywhere goes on there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay_core.canonical import canonical
from investigations.contract import parsing
from investigations.contract.parsing import Unparsable
from investigations.conversation import Kept
from investigations.happenings import Happening
from investigations.loop import Loop
from investigations.marking import Marker
from investigations.outcomes import BudgetSpent
from investigations.prompts import prompt
from investigations.repeats import Repeating
from investigations.states import RunResult, StepKind
from investigations.talk import EndpointDown, EndpointRefused, Finish, Reply
from verdicts.demand import Demand

Lacking = Callable[[str], Sequence[Demand]]  # hypothesis -> what it needs and nobody asked


@dataclass(frozen=True, slots=True)
class Handed:
    """A submission that the contract accepts, or None with the reason why there is none, in words."""

    value: Mapping[str, Any] | None
    result: RunResult
    note: str = ""


@dataclass(frozen=True, slots=True)
class Handing:
    """One loop on its way to a submission as the schema has it."""

    loop: Loop
    schema: Mapping[str, Any]
    lacking: Lacking

    def handed_in(self) -> Handed:
        """Return the submission, or why there is none. Raises LeaseLost, and EndpointDown or EndpointRefused
        as long as nothing valid was handed in."""
        while True:
            try:
                reply = self._next()
            except (BudgetSpent, Repeating, EndpointDown, EndpointRefused) as trouble:
                return self._ended_by(trouble)
            talk = self.loop.talk
            if reply.finish is Finish.REFUSED:
                return self._without(RunResult.REFUSED, f"The model refused. {reply.refusal[:300]}".strip())
            value, complaints = self._read(reply)
            if value is None and talk.count(StepKind.REPAIR):
                result = RunResult.CUT_OFF if reply.finish is Finish.CUT_OFF else RunResult.FALLBACK
                return self._without(result, f"No valid submission after one repair. {complaints[0][:300]}")
            if value is None:
                self.loop.watcher.note(Happening.REPAIRING, {"complaints": complaints})
                talk.say(StepKind.REPAIR, prompt("repair", complaints=_listed(complaints)))
                continue
            missing = () if talk.count(StepKind.MISSING) else self.lacking(value["hypothesis"])
            if not missing:
                return Handed(value, self._result())
            self.loop.watcher.note(Happening.TOPPING_UP, {"facts": [each.fact for each in missing]})
            talk.say(StepKind.MISSING, _missing(value["hypothesis"], missing, self.loop.tools.marker))

    def _next(self) -> Reply:
        """Return the next answer; after a repair was asked for, whatever comes is the answer."""
        talk = self.loop.talk
        if talk.last_reply is None and _asks_for_repair(talk.steps):
            return self.loop.once(self.schema)
        if talk.last_reply is not None and _is_repair(talk.steps):
            return talk.last_reply
        return self.loop.until_answer()

    def _read(self, reply: Reply) -> tuple[Mapping[str, Any] | None, list[str]]:
        if reply.finish is Finish.CUT_OFF:
            return None, ["The reply was cut off before its end. Make it shorter."]
        if reply.finish is Finish.UNKNOWN:
            return None, ["The reply did not end as a whole one does."]
        if reply.calls:
            return None, ["A submission was asked for, and not another call."]
        try:
            return parsing.held_to(self.schema, reply.text), []
        except Unparsable as wrong:
            return None, wrong.complaints

    def _ended_by(self, trouble: Exception) -> Handed:
        """End with what was handed in before; without that an endpoint that is down is for the caller."""
        if isinstance(trouble, EndpointDown | EndpointRefused) and self._earlier() is None:
            raise trouble
        return self._without(RunResult.FALLBACK, str(trouble))

    def _without(self, result: RunResult, note: str) -> Handed:
        earlier = self._earlier()
        if earlier is not None:
            return Handed(earlier, self._result(), f"The last turn brought nothing. {note}")
        return Handed(None, result, note)

    def _earlier(self) -> Mapping[str, Any] | None:
        """Return the valid submission that came before the missing facts were named, if there is one."""
        steps = self.loop.talk.steps
        asked = next((place for place, step in enumerate(steps) if step.kind is StepKind.MISSING), None)
        if asked is None:
            return None
        replies = [step.reply for step in steps[:asked] if step.reply is not None]
        return self._read(replies[-1])[0] if replies else None

    def _result(self) -> RunResult:
        return RunResult.REPAIRED if self.loop.talk.count(StepKind.REPAIR) else RunResult.FIRST_PASS


def _asks_for_repair(steps: Sequence[Kept]) -> bool:
    """Say whether the model was asked for a repair and has not answered since."""
    for step in reversed(steps):
        if step.reply is not None:
            return False
        if step.kind is StepKind.REPAIR:
            return True
    return False


def _is_repair(steps: Sequence[Kept]) -> bool:
    """Say whether the last reply is the one that a repair was asked for."""
    last = max((place for place, step in enumerate(steps) if step.reply is not None), default=0)
    return _asks_for_repair(steps[:last])


def asked_with(demand: Demand, marker: Marker) -> str:
    """Return in words how a fact is to be asked."""
    return f"ask {demand.tool} with\n{marker.data('arguments', canonical(dict(demand.arguments)))}"


def _missing(hypothesis: str, demands: Sequence[Demand], marker: Marker) -> str:
    lines = [f"{each.fact}: {asked_with(each, marker)}" for each in demands]
    return prompt("sufficiency", hypothesis=hypothesis, missing=_listed(lines))


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
