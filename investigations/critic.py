"""The critic: a second look at a case, by whoever has not read the first one's words. It can only lower.

It sees the incident, the facts as code finds them, and the recorded answers. It returns objections, which
people read beside the findings, and refutations that the rule declares, which code checks. Pure but for its
dialogue.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from investigations.dialogue import Dialogue, NoAnswer, Said, Wanted
from investigations.evidencetext import told_of
from investigations.marking import fresh, inert, seen
from investigations.prompts import prompt, prompts_digest
from toolbox import redaction
from verdicts.case import NONE_OF_THESE, Entry, Finding, Subject
from verdicts.outcomes import Verdict
from verdicts.rule import RuleSpec

ACTOR = "critic"
PROMPT = "critic"
AUTHOR = "model"
_MOST = 10
_SAYS_MAX = 600


@dataclass(frozen=True, slots=True)
class Objection:
    """A hole in the case, as the critic sees it, and the entry that shows it. It decides nothing."""

    says: str
    entry: int
    about: str = ""  # the fact, where it is about one


@dataclass(frozen=True, slots=True)
class Review:
    """What the critic came to. `note` says for people how it ended, where that is not plain."""

    objections: tuple[Objection, ...] = ()
    refutations: tuple[Finding, ...] = ()
    note: str = ""
    endpoint: str = ""
    model: str = ""
    prompt_digest: str = ""


@dataclass(frozen=True, slots=True)
class Brief:
    """The case as a critic is shown it: `decided` is the verdict on trial, `rule` the hypothesis."""

    subject: Subject
    rule: RuleSpec
    decided: Verdict
    entries: Mapping[int, Entry]
    hints: Mapping[str, Sequence[str]] = field(default_factory=dict)


def is_wanted(kinds: Sequence[str], subject: Subject, hypothesis: str) -> bool:
    """Say whether a critic is to look: at the kinds of the setting, where there is a case at all."""
    return subject.kind in kinds and hypothesis != NONE_OF_THESE


def review(brief: Brief, dialogue: Dialogue, entries_now: Callable[[], Mapping[int, Entry]]) -> Review:
    """Let the critic look, and keep of its answer what cites an entry of this run.

    `entries_now` returns the run's entries with those that the critic asked for. A critic that gives no
    answer leaves the case as it is, and says so in the note.
    """
    digest = prompts_digest(PROMPT)
    try:
        said = dialogue.ask(_wanted(brief))
    except NoAnswer as reason:
        return Review(note=f"The critic gave no answer. {reason}"[:400], prompt_digest=digest)
    return _read(said, entries_now(), digest)


def schema(rule: RuleSpec) -> dict[str, Any]:
    """Return the schema of a critic's answer: only this rule's facts and refutations can be named."""
    entry = {"type": "integer", "minimum": 1, "maximum": 9007199254740991}
    objection = {
        "type": "object",
        "additionalProperties": False,
        "required": ["says", "entry"],
        "properties": {
            "says": {"type": "string", "minLength": 1, "maxLength": _SAYS_MAX},
            "entry": entry,
            "about": {"type": "string", "enum": [*rule.facts, ""]},
        },
    }
    refutation = {
        "type": "object",
        "additionalProperties": False,
        "required": ["refutation", "entry"],
        "properties": {
            "refutation": {"type": "string", "enum": list(rule.refutations) or [""]},
            "entry": entry,
            "why": {"type": "string", "maxLength": _SAYS_MAX},
        },
    }
    most = _MOST if rule.refutations else 0
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["objections", "refutations"],
        "properties": {
            "objections": {"type": "array", "maxItems": _MOST, "items": objection},
            "refutations": {"type": "array", "maxItems": most, "items": refutation},
        },
    }


def _wanted(brief: Brief) -> Wanted:
    marker, wanted, rule = fresh(), schema(brief.rule), brief.rule
    instructions = prompt(
        PROMPT,
        nonce=marker.nonce,
        hypothesis=rule.name,
        rule="\n".join([rule.sentence, *(f"- {name}: {fact.sentence}" for name, fact in rule.facts.items())]),
        refutations="\n".join(f"- {name}: {each.sentence}" for name, each in rule.refutations.items())
        or "It declares none: leave that list empty.",
        schema=json.dumps(wanted, ensure_ascii=False),
    )
    facts = "\n".join(
        f"{each.name}: {each.outcome} (entry {each.entry}): {each.reason}" for each in brief.decided.facts
    )
    given = [
        *told_of(brief.subject, brief.entries, marker, hints=brief.hints),
        marker.data("the facts as code finds them", facts),
    ]
    return Wanted(instructions, "\n\n".join(given), wanted, marker)


def _read(said: Said, entries: Mapping[int, Entry], digest: str) -> Review:
    objections, refutations, dropped = [], [], 0
    for each in said.value["objections"]:
        if each["entry"] in entries:
            objections.append(Objection(_words(each["says"]), each["entry"], each.get("about", "")))
        else:
            dropped += 1
    for each in said.value["refutations"]:
        if each["entry"] in entries:
            why = _words(each.get("why", ""))
            refutations.append(Finding(each["refutation"], each["entry"], note=why, author=AUTHOR))
        else:
            dropped += 1
    note = f"{dropped} of the critic's points cite an entry that this run does not have; they were left out."
    return Review(
        tuple(dict.fromkeys(objections)),
        tuple(dict.fromkeys(refutations)),
        note if dropped else "",
        said.endpoint,
        said.model,
        digest,
    )


def _words(text: str) -> str:
    return " ".join(inert(redaction.text(seen(text))).split())[:_SAYS_MAX]
