"""Investigations and rules as plain values for agents, and the JSON Schemas of what is sent."""

import json
from collections.abc import Mapping
from typing import Any

from assay_core.instants import as_text
from investigations.lines import Story
from investigations.models import Investigation
from toolbox.called import Called
from verdicts.case import NONE_OF_THESE, Subject
from verdicts.rulebook import Rulebook

_TEXT: Mapping[str, Any] = {"type": "string"}
_WHOLE: Mapping[str, Any] = {"type": "integer"}
_FLAG: Mapping[str, Any] = {"type": "boolean"}
_FREE: Mapping[str, Any] = {"type": "object"}


def _closed(*, optional: tuple[str, ...] = (), **properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [name for name in properties if name not in optional],
        "properties": properties,
    }


def _or_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _many(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema}


_QUESTION = _closed(
    fact=_TEXT, sentence=_TEXT, tool=_TEXT, arguments=_or_null(_FREE), not_before=_or_null(_TEXT)
)
_APPLICABLE = _closed(name=_TEXT, sentence=_TEXT, questions=_many(_QUESTION))
_ENTRY = _closed(entry=_WHOLE, tool=_TEXT, arguments=_FREE, status=_TEXT, reason=_TEXT, asked_by=_TEXT)
_FACT = _closed(name=_TEXT, outcome=_TEXT, reason=_TEXT)
_VERDICT = _closed(passed=_FLAG, hypothesis=_TEXT, reason=_TEXT, deciding=_TEXT, facts=_many(_FACT))
INVESTIGATION_INPUT = _closed(optional=("investigation",), investigation={"type": "integer", "minimum": 1})
INVESTIGATION_OUTPUT = _closed(
    investigation=_WHOLE,
    incident=_WHOLE,
    investigator=_TEXT,
    state=_TEXT,
    until=_or_null(_TEXT),
    subject=_FREE,
    rules=_many(_APPLICABLE),
    entries=_many(_ENTRY),
    verdict=_or_null(_VERDICT),
)
RULES_INPUT = _closed()
RULES_OUTPUT = _closed(
    rulebook=_TEXT,
    rules=_many(
        _closed(
            name=_TEXT,
            sentence=_TEXT,
            version=_WHOLE,
            kinds=_many(_TEXT),
            needs=_many(_TEXT),
            facts=_many(_closed(name=_TEXT, sentence=_TEXT, tool=_TEXT)),
        )
    ),
)
SUBMITTED_OUTPUT = _closed(
    investigation=_WHOLE, incident=_WHOLE, passed=_FLAG, hypothesis=_TEXT, reason=_TEXT, deciding=_TEXT
)


def subject(row: Investigation) -> dict[str, Any]:
    """Return the incident as the rules see it: the sender's own fields."""
    plain: dict[str, Any] = json.loads(row.subject)
    return plain


def applicable(row: Investigation, book: Rulebook) -> list[dict[str, Any]]:
    """Return the rules that are about the subject, with the exact question of each of their facts."""
    about = Subject.from_text(row.subject)
    found = []
    for rule in book.applicable(about):
        demanded = {each.fact: each for each in book.demands(rule, about)}
        questions = []
        for name, fact in rule.facts.items():
            demand = demanded.get(name)
            opens = demand.not_before if demand else None
            questions.append(
                {
                    "fact": name,
                    "sentence": fact.sentence,
                    "tool": fact.tool,
                    "arguments": dict(demand.arguments) if demand else None,
                    "not_before": as_text(opens) if opens else None,
                }
            )
        found.append({"name": rule.name, "sentence": rule.sentence, "questions": questions})
    return found


def entry(called: Called) -> dict[str, Any]:
    """Return one call of the run without its result: the agent got that when it asked."""
    return {
        "entry": called.entry,
        "tool": called.tool,
        "arguments": dict(called.arguments),
        "status": called.status.value,
        "reason": called.reason,
        "asked_by": called.asked_by,
    }


def verdict(story: Story) -> dict[str, Any] | None:
    """Return the last verdict in words; None while there is none."""
    if story.verdict is None:
        return None
    return {
        "passed": story.verdict.passed,
        "hypothesis": story.verdict.hypothesis,
        "reason": story.verdict.reason,
        "deciding": story.verdict.deciding,
        "facts": [
            {"name": each.name, "outcome": str(each.outcome), "reason": each.reason} for each in story.facts
        ],
    }


def rules(book: Rulebook) -> list[dict[str, Any]]:
    """Return what can earn a pass at present, sorted by name."""
    return [
        {
            "name": rule.name,
            "sentence": rule.sentence,
            "version": rule.version,
            "kinds": sorted(rule.kinds),
            "needs": sorted(rule.needs),
            "facts": [
                {"name": name, "sentence": fact.sentence, "tool": fact.tool}
                for name, fact in rule.facts.items()
            ],
        }
        for name, rule in sorted(book.rules.items())
        if name != NONE_OF_THESE and not book.inactive_because(name)
    ]
