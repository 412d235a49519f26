"""Asking after a submission, for critics, graders, revisers and look-ups: no fact comes to hold by it.

The newest answer to a fact's question decides the fact. So what the run has asked is answered from the
record, whoever asks again, and a fact's question that nobody has asked stays the code's to ask. What is asked
here can satisfy a refutation, and nothing else of a rule. Pure but for the asker.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from assay_core.arguments import ToolShape, one_form
from assay_core.results import Status
from investigations.demands import Ask, question
from verdicts.case import Entry

_NEVER = datetime.fromtimestamp(0, tz=UTC)
_RESERVED = "This is the question of a fact, which code asks by itself. Ask something else."


@dataclass(frozen=True, slots=True)
class Restrained:
    """Asks what is neither asked already nor a fact's question."""

    ask: Ask
    recorded: Mapping[str, Entry]
    reserved: frozenset[str]
    shapes: Mapping[str, ToolShape]

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Entry:
        """Return the recorded answer, a new one, or a refusal that is nobody's entry (its id is 0)."""
        shape = self.shapes.get(tool)
        key = question(tool, one_form(arguments, shape) if shape else arguments)
        if key in self.recorded:
            return self.recorded[key]
        if key in self.reserved:
            return _refusal(tool, arguments)
        return self.ask(tool, arguments)


def restrained(
    ask: Ask, entries: Mapping[int, Entry], reserved: frozenset[str], shapes: Mapping[str, ToolShape]
) -> Restrained:
    """Return an asker over the entries of a run; `reserved` are the questions that its rules demand."""
    recorded = {question(each.tool, each.arguments): each for _, each in sorted(entries.items())}
    return Restrained(ask, recorded, reserved, shapes)


def _refusal(tool: str, arguments: Mapping[str, Any]) -> Entry:
    return Entry(
        id=0,
        leaf="",
        investigation=0,
        tool=tool,
        arguments=dict(arguments),
        status=Status.REFUSED,
        result=None,
        reason=_RESERVED,
        called_at=_NEVER,
        finished_at=_NEVER,
        asked_by="code",
    )
