"""Agents that do what the prompt tells them: they read the questions of the facts, ask them, and hand in."""

import json
import re
from collections.abc import Sequence

from tests.scripted.replies import Scripted, calls, says
from tests.scripted.server import Request

_ASKED = re.compile(
    r"^- (?P<rule>\w+), (?P<fact>\w+): ask (?P<tool>\w+) with\n"
    r"<data \w+ arguments>\n(?P<arguments>.*?)\n</data ",
    re.MULTILINE | re.DOTALL,
)


def questions(request: Request, rule: str = "") -> list[tuple[str, str]]:
    """Return each distinct question of a rule's facts as the opening tells it: tool and arguments."""
    found = [
        (each["tool"], each["arguments"])
        for each in _ASKED.finditer(str(request.messages[1]["content"]))
        if each["rule"] == (rule or each["rule"])
    ]
    return list(dict.fromkeys(found))


def rules(request: Request) -> list[str]:
    """Return the rules that the opening lists questions of."""
    told = str(request.messages[1]["content"])
    return list(dict.fromkeys(each["rule"] for each in _ASKED.finditer(told)))


def asks_what_is_told(request: Request) -> Scripted:
    """Ask every question of the first rule at once, then hand that rule in; none where none is told."""
    named = [*rules(request), "none_of_these"][0]
    asked = questions(request, named) if named != "none_of_these" else []
    if asked and not any(each["role"] == "tool" for each in request.messages):
        return calls(*asked)
    return hands_in(named)


def hands_in(hypothesis: str, draft: str = "Looked at.", findings: Sequence[object] = ()) -> Scripted:
    """Hand in a hypothesis."""
    whole = {"version": 1, "hypothesis": hypothesis, "findings": list(findings), "draft": draft}
    return says(json.dumps(whole))
