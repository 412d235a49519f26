"""What happens in a run or an answer, in words for whoever watches. Pure."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from investigations import marking
from investigations.happenings import Happening

_LONGEST = 400
# A string that may not have come to its end, without an escape that is cut in the middle.
_DRAFT = re.compile(r'"draft"\s*:\s*"((?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*)')
_PLAIN: Mapping[str, str] = {
    Happening.BEGAN: "Began.",
    Happening.RESUMED: "Another worker went on from where the last one stopped.",
    Happening.THINKING: "The model is thinking.",
    Happening.HEARD: "Your note has reached the model.",
    Happening.REPAIRING: "Its answer could not be read. It was told why and writes it again.",
    Happening.TOPPING_UP: "It was told which facts are still missing.",
    Happening.CRITIC_BEGAN: "A critic looks for holes in the case.",
    Happening.RUBRIC_BEGAN: "The draft is being graded.",
    Happening.CHECKING_CITATIONS: "Each id in the draft is looked up.",
    Happening.REVISING: "It was told what in the draft does not exist, and writes it again.",
    Happening.PLAYBOOK_TOOK_OVER: "The model is out of reach. The playbook gathers instead.",
    Happening.ENDED: "Ended.",
}


@dataclass(frozen=True, slots=True)
class LiveLine:
    """One happening for a page: its kind, its words, and the entry that it is about, where there is one."""

    kind: str
    words: str
    entry: int | None = None

    def plain(self) -> dict[str, Any]:
        """Return it as the page's script reads it."""
        return {"kind": self.kind, "words": self.words, "entry": self.entry}


def line_of(kind: str, payload: Mapping[str, Any]) -> LiveLine:
    """Return a happening in words; one of a kind that nobody has words for is shown by its name."""
    told = _TOLD.get(kind)
    words = told(payload) if told else _PLAIN.get(kind, f"{kind.replace('_', ' ').capitalize()}.")
    if kind not in _TOLD and (more := _said(payload, "words", "reason", "result", "outcome")):
        words = f"{words} {more}"
    entry = payload.get("entry")
    number = entry if isinstance(entry, int) and entry > 0 else None
    return LiveLine(kind, marking.seen(words[:_LONGEST]), number)


def words_so_far(text: str) -> str:
    """Return a model's words as far as they have come; of a submission, the draft alone."""
    if not text.lstrip().startswith(("{", "```")):
        return marking.seen(text)
    found = _DRAFT.search(text)
    if found is None:
        return "…"
    try:
        return marking.seen(str(json.loads(f'"{found[1]}"', strict=False)))
    except ValueError:
        return "…"


def _asked(payload: Mapping[str, Any]) -> str:
    return f"Asks “{_tool(payload)}”."


def _answered(payload: Mapping[str, Any]) -> str:
    return f"“{_tool(payload)}”: {_said(payload, 'status') or 'answered'}"


def _replied(payload: Mapping[str, Any]) -> str:
    calls = payload.get("calls")
    count = calls if isinstance(calls, int) else len(calls) if isinstance(calls, list) else 0
    if not count:
        return "The model has answered."
    return (
        "The model wants to ask 1 question." if count == 1 else f"The model wants to ask {count} questions."
    )


def _missing_facts(payload: Mapping[str, Any]) -> str:
    facts = payload.get("facts")
    named = ", ".join(str(each).replace("_", " ") for each in facts) if isinstance(facts, list) else ""
    return f"It was told what nobody has asked yet: {named}." if named else _PLAIN[Happening.TOPPING_UP]


def _criticised(payload: Mapping[str, Any]) -> str:
    found = _count(payload, "objections") + _count(payload, "refutations")
    made = f"The critic made {_counted(found, 'point')}." if found else "The critic found nothing."
    return f"{made} {_said(payload, 'note')}".strip()


def _graded(payload: Mapping[str, Any]) -> str:
    gaps = _count(payload, "gaps")
    result = _said(payload, "result") or "without a result"
    left = f", {_counted(gaps, 'gap')}" if gaps else ""
    return f"The draft was graded: {result}{left}."


def _looked_up(payload: Mapping[str, Any]) -> str:
    verified, missing, unchecked = (_count(payload, each) for each in ("verified", "missing", "unchecked"))
    if not verified + missing + unchecked:
        return "The draft names no id."
    return (
        f"Of the ids in the draft {verified} {'exists' if verified == 1 else 'exist'}, "
        f"{missing} {'does' if missing == 1 else 'do'} not, {unchecked} could not be looked up."
    )


_TOLD: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    Happening.ASKED: _asked,
    Happening.ANSWERED: _answered,
    Happening.REPLIED: _replied,
    Happening.TOPPING_UP: _missing_facts,
    Happening.CRITIC_ENDED: _criticised,
    Happening.RUBRIC_ENDED: _graded,
    Happening.CHECKED_CITATIONS: _looked_up,
}


def _count(payload: Mapping[str, Any], name: str) -> int:
    found = payload.get(name)
    return found if isinstance(found, int) else 0


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _tool(payload: Mapping[str, Any]) -> str:
    return (_said(payload, "title", "tool", "name") or "a tool").replace("_", " ").rstrip(".")


def _said(payload: Mapping[str, Any], *names: str) -> str:
    found = next((str(payload[name]) for name in names if payload.get(name)), "")
    return found.strip().replace("_", " ")
