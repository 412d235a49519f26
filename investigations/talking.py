"""The talk that leads to an answer: the loop of every run, with less to spend, and its ids looked up."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from django.conf import settings

from audit import reading
from investigations import briefing, citations, drafts, endpoints, models, offering, questions
from investigations.budget import Budget, Limits, Metered
from investigations.calling import Tools
from investigations.citations import Checked, Ground
from investigations.conversation import Conversation
from investigations.evidence import entry_of
from investigations.happenings import Happening, Watcher
from investigations.loop import Loop
from investigations.marking import fresh, seen
from investigations.outcomes import BudgetSpent
from investigations.prompts import prompt
from investigations.questions import Answer, Held
from investigations.repeats import Repeating
from investigations.states import Asking, Purpose, StepKind
from investigations.talk import EndpointDown, EndpointRefused, Finish, Reply
from investigations.turns import Turns
from toolbox import gateway, redaction, registry
from toolbox.called import Called
from toolbox.scope import CallScope
from verdicts.case import Entry, Subject

CALLER = "model"
_LONGEST = 20_000
_EARLIER = 4
_LOOK_EVERY = 2.0


class _Heeding:
    """Tells a watcher, and looks from time to time whether anybody still waits for what is being written."""

    def __init__(self, watcher: Watcher, heed: Callable[[], None]) -> None:
        self._watcher, self._heed = watcher, heed
        self._looked_at = time.monotonic()

    def note(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Pass it on."""
        self._watcher.note(kind, payload)

    def hear(self, piece: str) -> None:
        """Pass it on. Raises QuestionTaken, which ends the exchange in the middle."""
        if time.monotonic() >= self._looked_at + _LOOK_EVERY:
            self._heed()
            self._looked_at = time.monotonic()
        self._watcher.hear(piece)


class Talk:
    """One talk about one question. It asks tools in the model's name: entries of the incident, of no run."""

    def __init__(self, held: Held, watcher: Watcher) -> None:
        row = models.Question.objects.get(pk=held.question)
        self._held, self._watcher, self._row = held, watcher, row
        self._subject = Subject.from_text(row.subject)
        self._entries = entries_of_incident(row.incident_id)
        self._talk = Conversation(Turns(held))
        self._budget = Budget(_limits())
        self._calls = 0
        self._scope = CallScope(
            caller=CALLER,
            incident=row.incident_id,
            subject=dict(self._subject.identifiers),
            via=f"question {row.pk} of {row.asked_by}",
        )

    def answer(self) -> Answer:
        """Talk until the model answers in words; what keeps it from that is an ending too.

        Raises QuestionTaken when somebody stopped it.
        """
        try:
            reply = self._loop().until_answer()
        except (EndpointDown, EndpointRefused, Repeating) as trouble:
            return self._ended(Asking.FAILED, reason=f"No answer: {trouble}")
        except BudgetSpent as spent:
            return self._ended(Asking.FAILED, reason=f"No answer: {spent} Ask something narrower.")
        return self._last_words(reply)

    def _loop(self) -> Loop:
        place = endpoints.endpoint_in_use(Purpose.ASK)
        model = endpoints.model_for(Purpose.ASK, investigation=None, incident=self._row.incident_id)
        marker, heed = fresh(), partial(questions.hold, self._held, place.total_seconds)
        if self._talk.steps:
            self._take_over()
        else:
            for said in briefing.messages(prompt("ask"), self._known(), self._row.text, marker):
                self._talk.say(StepKind.OPENING, said.text, role=said.role)
        tools = Tools(
            offers=offering.offers(CALLER),
            ask=self._ask,
            marker=marker,
            take=self._budget.take_call,
            misasked=lambda tool, why: None,  # its turn is kept, and what it held is in the transcript
            hints=offering.hints(),
        )
        return Loop(
            talk=self._talk,
            model=Metered(model, self._budget, place.prices, place.max_tokens),
            tools=tools,
            watcher=_Heeding(self._watcher, heed),
            heed=heed,
            room=place.context - place.max_tokens,
        )

    def _take_over(self) -> None:
        """Count what an earlier attempt has spent."""
        steps = self._talk.steps
        self._watcher.note(Happening.RESUMED, {})
        self._budget.book(self._talk.spent)
        replies = sum(step.reply is not None for step in steps)
        self._calls = sum(step.entry > 0 for step in steps)
        limits = _limits()
        self._budget.shrink_to(turns=limits.turns - replies, calls=limits.calls - self._calls)

    def _ask(self, tool: str, arguments: Mapping[str, Any]) -> Entry:
        self._calls += 1
        questions.hold(self._held, gateway.longest(tool, CALLER))
        entry = entry_of(gateway.call(tool, arguments, self._scope), 0)
        self._entries[entry.id] = entry
        return entry

    def _known(self) -> briefing.Known:
        earlier = [
            (row.text, row.answer)
            for row in questions.thread(self._row.incident_id)
            if row.pk < self._row.pk and row.answer
        ]
        return briefing.Known(
            subject=self._subject,
            verdict=_verdict(self._row.incident_id),
            entries=self._entries,
            earlier=earlier[-_EARLIER:],
            hints=offering.hints(),
        )

    def _last_words(self, reply: Reply) -> Answer:
        if reply.finish is Finish.REFUSED:
            said = seen(redaction.text(redaction.cut(reply.refusal, 500)))
            return self._ended(Asking.FAILED, reason=f"The model refused to answer. {said}".strip())
        text = redaction.text(redaction.cut(_words_of(reply.text), _LONGEST))
        if not text.strip():
            return self._ended(Asking.FAILED, reason="The model answered without a word. Ask again.")
        checked = self._checked(text)
        reason = "The answer was cut off at its limit." if reply.finish is Finish.CUT_OFF else ""
        return self._ended(Asking.ANSWERED, checked, reason=reason)

    def _checked(self, text: str) -> Checked:
        """Look each id of an answer up, once each; what a run of ours would revise is only marked here."""
        self._watcher.note(Happening.CHECKING_CITATIONS, {})
        shapes = registry.current().shapes()
        ground = Ground(self._subject, self._entries, drafts.patterns(), shapes)
        return citations.check(text, ground, self._look_up)

    def _look_up(self, tool: str, arguments: Mapping[str, Any]) -> Entry:
        self._calls += 1
        questions.hold(self._held, gateway.longest(tool, CALLER))
        scope = replace(self._scope, caller="code", is_derived=True)
        return entry_of(gateway.call(tool, arguments, scope), 0)

    def _ended(self, state: Asking, checked: Checked | None = None, *, reason: str = "") -> Answer:
        cited = checked.citations if checked else ()
        return Answer(
            state,
            text=checked.text if checked else "",
            citations=[
                {"kind": each.kind, "text": each.text, "value": each.value, "state": each.state.value,
                 "reason": each.reason, "entry": each.entry, "link": each.link}
                for each in cited
            ],
            reason=reason,
            calls=self._calls,
            spent=self._talk.spent,
        )  # fmt: skip


def entries_of_incident(incident_id: int) -> dict[int, Entry]:
    """Return every tool call about an incident, of runs and of questions; erased ones are left out."""
    return {
        stored.id: entry_of(
            Called.from_payload(stored.id, stored.leaf, stored.payload), stored.investigation or 0
        )
        for stored in reading.of_incident(incident_id)
        if stored.kind == gateway.KIND and stored.payload is not None
    }


def _words_of(text: str) -> str:
    """Return the words of an answer; a model that steps by schema may wrap them into an object."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if isinstance(value, dict):
        return next((word for word in value.values() if isinstance(word, str)), text)
    return text


def _verdict(incident_id: int) -> str:
    row = models.Verdict.objects.filter(investigation__incident_id=incident_id).order_by("-pk").first()
    if row is None:
        return ""
    return f"{'pass' if row.passed else 'fail'} under {row.hypothesis}: {row.reason}"


def _limits() -> Limits:
    return Limits(
        turns=settings.ASK_MAX_TURNS,
        calls=settings.ASK_MAX_CALLS,
        tokens=settings.ASK_MAX_TOKENS,
        micros=round(settings.ASK_MAX_COST * 1_000_000),
        seconds=float(settings.ASK_MAX_SECONDS),
    )
