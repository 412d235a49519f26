"""A model's run around its loop: what it is told, what it may spend, and what its ending comes to.

In this order: the loop, a repair, the missing facts, the critic, the rubric, the citation guard. Whatever
goes wrong on the way, what was gathered stays, and a person looks: nothing here can earn a pass.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.conf import settings

from investigations import contract, offering, rulebook
from investigations.budget import Budget, Limits, Metered
from investigations.calling import Tools
from investigations.conversation import Conversation
from investigations.demands import demands_of, question, unasked
from investigations.handing import Handed, Handing, asked_with
from investigations.happenings import Happening, Watcher
from investigations.loop import Loop
from investigations.marking import Marker, fresh, inert, shown
from investigations.prompts import prompt, prompts_digest
from investigations.states import Purpose, StepKind
from investigations.surroundings import HoldingNotebook, Surroundings
from investigations.talk import Role
from toolbox.scope import CallScope
from verdicts.case import NONE_OF_THESE, Subject
from verdicts.demand import Demand
from verdicts.rulebook import Rulebook

ACTOR = "model"
_MOST = 10**9  # of money and of seconds: beyond it a number is no limit, and some can't be reckoned with
PROMPTS = ("investigator", "incident", "repair", "sufficiency", "note")


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt of one model's run, with the rulebook that its contract was filled in from."""

    around: Surroundings
    subject: Subject
    watcher: Watcher
    book: Rulebook = field(default_factory=rulebook.current_rulebook)
    attempt: int = 1

    def digests(self) -> dict[str, str]:
        """Return what the run is told and held to, as digests."""
        return {
            "prompt_digest": prompts_digest(*PROMPTS),
            "contract_digest": contract.schema_digest(self.book),
            "rulebook_digest": self.book.digest,
        }


def limits() -> Limits:
    """Return the most that one run may spend, as the settings say."""
    return Limits(
        turns=settings.AGENT_MAX_TURNS,
        calls=settings.AGENT_MAX_CALLS,
        tokens=settings.AGENT_MAX_TOKENS,
        micros=int(min(Decimal(settings.AGENT_MAX_COST), Decimal(_MOST)) * 1_000_000),
        seconds=float(min(settings.AGENT_MAX_SECONDS, _MOST)),
    )


def gather(run: Run, budget: Budget) -> tuple[Handed, Loop]:
    """Let the model ask and hand in. Raises LeaseLost, EndpointDown and EndpointRefused."""
    loop = _loop(run, budget)
    handing = Handing(loop, contract.schema(run.book), lambda name: lacking(run, name))
    return handing.handed_in(), loop


def lacking(run: Run, hypothesis: str) -> list[Demand]:
    """Return what the hypothesis demands and nobody has asked, as far as an answer can earn anything yet."""
    demands = demands_of(hypothesis, run.subject, run.book)
    return unasked(demands, run.around.entries(), run.around.now(), but=run.around.redeclared())


def _loop(run: Run, budget: Budget) -> Loop:
    place = run.around.place(Purpose.INVESTIGATOR)
    model = run.around.model(Purpose.INVESTIGATOR)
    notebook = run.around.notebook(place.total_seconds)
    talk = Conversation(notebook)
    marker = _opened(run, talk)
    return Loop(
        talk=talk,
        model=Metered(model, budget, place.prices, place.max_tokens),
        tools=_tools(run, budget, talk, marker),
        watcher=run.watcher,
        heed=lambda: _heed(run, talk, notebook, place.total_seconds),
        room=place.context - place.max_tokens,
    )


def _opened(run: Run, talk: Conversation) -> Marker:
    """Tell the model what it is to do, or find the marker of a run that is taken over."""
    if talk.steps:
        run.watcher.note(Happening.RESUMED, {"attempt": run.attempt})
        marker = Marker.of(talk.steps[0].message.text)
    else:
        run.watcher.note(Happening.BEGAN, {"attempt": run.attempt})
        marker = fresh()
        talk.say(StepKind.OPENING, _instructions(run, marker), role=Role.SYSTEM)
    if talk.count(StepKind.OPENING) == 1:
        talk.say(StepKind.OPENING, _incident(run, marker))
    return marker


def _instructions(run: Run, marker: Marker) -> str:
    return prompt(
        "investigator",
        nonce=marker.nonce,
        schema=json.dumps(contract.schema(run.book), ensure_ascii=False),
        hypotheses=_hypotheses(run),
    )


def _incident(run: Run, marker: Marker) -> str:
    subject = run.subject
    return prompt(
        "incident",
        kind=subject.kind,
        source=inert(subject.source),
        started_at=subject.started_at.isoformat(),
        incident=marker.data("incident", shown(_told(subject))),
        questions=_questions(run, marker),
    )


def _told(subject: Subject) -> Mapping[str, Any]:
    plain = subject.to_plain()
    return {name: plain[name] for name in ("title", "severity", "identifiers", "labels", "annotations")}


def _hypotheses(run: Run) -> str:
    """List the rules that are about this incident, with their facts."""
    lines = []
    for rule in run.book.applicable(run.subject):
        lines.append(f"- {rule.name}: {rule.sentence}")
        lines += [f"  - {name} ({fact.tool}): {fact.sentence}" for name, fact in rule.facts.items()]
    return "\n".join(lines) or f"None of them is about this incident: choose {NONE_OF_THESE}."


def _questions(run: Run, marker: Marker) -> str:
    """List the exact question of each fact; the values in it are the sender's."""
    lines = []
    for rule in run.book.applicable(run.subject):
        for demand in run.book.demands(rule, run.subject):
            lines.append(f"- {rule.name}, {demand.fact}: {asked_with(demand, marker)}")
    return "\n".join(lines) or "None."


def _tools(run: Run, budget: Budget, talk: Conversation, marker: Marker) -> Tools:
    offers = run.around.offers(ACTOR)
    scope = CallScope(
        caller=ACTOR,
        allow=frozenset(offer.name for offer in offers),
        subject=dict(run.subject.identifiers),
    )
    ask = run.around.asker(scope, limit=settings.AGENT_MAX_CALLS, is_held=True)
    tools = Tools(
        offers=offers,
        ask=ask,
        copy_of=ask.copy_of,
        marker=marker,
        take=budget.take_call,
        misasked=lambda tool, why: run.around.note_misasked(tool, why, by=ACTOR),
        hints=offering.hints(),
    )
    tools.recall(talk.steps)
    known = {step.entry for step in talk.steps}
    for number, entry in run.around.entries().items():
        if entry.asked_by == ACTOR and number not in known:
            tools.left[question(entry.tool, entry.arguments)] = entry
    return tools


def _heed(run: Run, talk: Conversation, notebook: HoldingNotebook, seconds: float) -> None:
    """Hear what people say meanwhile; hold on to the run for so long where no step does.

    Raises LeaseLost when the run was stopped or taken over.
    """
    if not notebook.holds:
        run.around.hold(seconds)
    for note in run.around.unheard() if notebook.is_spoken_to else ():
        talk.say(StepKind.NOTE, prompt("note", note=inert(note.text)))
        run.around.heard(note)
        run.watcher.note(Happening.HEARD, {"by": note.made_by, "text": note.text})
