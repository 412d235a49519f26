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
    Happening.CRITIC_ENDED: "The critic has finished.",
    Happening.RUBRIC_BEGAN: "The draft is being graded.",
    Happening.RUBRIC_ENDED: "The draft was graded.",
    Happening.CHECKING_CITATIONS: "Each id in the draft is looked up.",
    Happening.CHECKED_CITATIONS: "Each id in the draft was looked up.",
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


_TOLD: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    Happening.ASKED: _asked,
    Happening.ANSWERED: _answered,
    Happening.REPLIED: _replied,
}


def _tool(payload: Mapping[str, Any]) -> str:
    return (_said(payload, "title", "tool", "name") or "a tool").replace("_", " ").rstrip(".")


def _said(payload: Mapping[str, Any], *names: str) -> str:
    found = next((str(payload[name]) for name in names if payload.get(name)), "")
    return found.strip().replace("_", " ")
