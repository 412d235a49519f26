"""Grading a draft and writing it again by a model: what each is shown, and what of its answer counts.

Pure but for the dialogues. A draft comes back as text alone: nothing else of a submission can change by it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from investigations.citations import Checked, Ground, check
from investigations.citations.checking import Ask
from investigations.dialogue import Dialogue, NoAnswer, Wanted
from investigations.evidencetext import told_of
from investigations.marking import fresh
from investigations.prompts import prompt, prompts_digest
from investigations.rubric import Grading, GradingFailed, RevisionFailed, Rubric, grading_of, schema
from investigations.safewords import safe
from verdicts.case import Entry, Subject

GRADER, REVISER = "grader", "revise"
LONGEST = 20_000
_DRAFT: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["draft"],
    "properties": {"draft": {"type": "string", "minLength": 1, "maxLength": LONGEST}},
}


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown beside a draft: the incident, and the run's entries as they are now."""

    subject: Subject
    entries: Callable[[], Mapping[int, Entry]]
    hints: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelGrader:
    """A model that grades."""

    dialogue: Dialogue
    shown: Shown

    def __call__(self, draft: str, rubric: Rubric) -> Grading:
        """Have each criterion graded; raise GradingFailed."""
        marker, wanted = fresh(), schema(rubric)
        instructions = prompt(
            GRADER,
            nonce=marker.nonce,
            criteria="\n".join(f"- {each.id}: {each.text}" for each in rubric.criteria),
            schema=json.dumps(wanted, ensure_ascii=False),
        )
        given = [
            *told_of(self.shown.subject, self.shown.entries(), marker, hints=self.shown.hints),
            marker.data("the draft", draft),
        ]
        try:
            said = self.dialogue.ask(Wanted(instructions, "\n\n".join(given), wanted, marker))
        except NoAnswer as reason:
            raise GradingFailed(f"The grader gave no answer. {reason}") from None
        graded = grading_of(said.value, rubric)
        return replace(graded, endpoint=said.endpoint, model=said.model, prompt_digest=prompts_digest(GRADER))


@dataclass(frozen=True, slots=True)
class Reviser:
    """A model that writes its draft again."""

    dialogue: Dialogue
    shown: Shown

    def __call__(self, draft: str, wanted: str) -> str:
        """Return the draft written again, made safe at once: what is graded is what is kept.

        Raises RevisionFailed.
        """
        marker = fresh()
        given = [
            *told_of(self.shown.subject, self.shown.entries(), marker, hints=self.shown.hints),
            marker.data("the draft", draft),
        ]
        instructions = prompt(REVISER, nonce=marker.nonce, wanted=marker.data("what to mend", wanted))
        try:
            said = self.dialogue.ask(Wanted(instructions, "\n\n".join(given), _DRAFT, marker))
        except NoAnswer as reason:
            raise RevisionFailed(f"The draft was not written again. {reason}") from None
        again = safe(str(said.value["draft"]))
        if not again.strip():
            raise RevisionFailed("The draft was not written again: an empty one came back.")
        return again


def reserve(calls: int) -> int:
    """Return how many of a run's tool calls are set aside at its start for mending what it cites."""
    return max(2, calls // 2)


def checked(
    draft: str, ground: Callable[[], Ground], look_up: Ask, revise: Callable[[str, str], str]
) -> Checked:
    """Check a draft; where it cites something missing, have it written again once and check that.

    `ground` is read anew for each check: what was asked meanwhile counts. What is missing after that, or
    where no second draft came, stays struck through. Raises what `look_up` raises beyond BudgetSpent.
    """
    first = check(draft, ground(), look_up)
    if not first.missing:
        return first
    try:
        again = revise(first.written, _missing(first, ground()))
    except RevisionFailed:
        return first
    return check(again, ground(), look_up)


def _missing(found: Checked, ground: Ground) -> str:
    tools = {each.kind: each.look_up.tool for each in ground.patterns if each.look_up is not None}
    lines = ["These ids in the draft name nothing that exists:"]
    for each in found.missing:
        by = (
            f" Look for the right one with {tools[each.kind]}, or leave it out." if each.kind in tools else ""
        )
        lines.append(f"- {each.kind} {each.text}: {each.reason}{by}")
    if found.figures:
        lines.append(f"These figures stand in no entry that the draft cites: {', '.join(found.figures)}.")
    return "\n".join(lines)
