"""Closed incidents of the scripted world, and an endpoint that investigates them again by a script."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

from django.core.management import call_command

from incidents.models import Incident
from tests.db.exported import closed
from tests.db.modelled import submission
from tests.db.sources import make_source
from tests.scripted import Request, Scripted, calls, says

Script = Callable[[Request], Scripted]


def three(make_user: Callable[..., Any]) -> list[Incident]:
    """Close three incidents that passed: two were harmless indeed, and one was real."""
    source = make_source()
    return [
        closed(make_user, outcome, f"job-{number}", source=source)
        for number, outcome in ((7, "harmless"), (8, "harmless"), (9, "real and fixed"))
    ]


def questions(request: Request) -> list[tuple[str, str]]:
    """Return the exact question of each fact, as the opening prompt tells it, with its tool."""
    told = next(m["content"] for m in request.messages if "ask find_job with" in str(m["content"]))
    found = []
    for part in told.split("ask ")[1:]:
        tool, _, rest = part.partition(" with\n")
        start = rest.find("{")
        if tool in ("find_job", "count_errors") and start >= 0:
            found.append((tool, json.dumps(json.JSONDecoder().raw_decode(rest[start:])[0])))
    return list(dict.fromkeys(found))


def asks_all(request: Request) -> Scripted:
    """Ask every fact's question, then hand in the one rule of the scripted world."""
    if not any(each["role"] == "tool" for each in request.messages):
        return calls(*questions(request))
    return says(submission("job_finished_on_retry"))


def asks_nothing(_: Request) -> Scripted:
    """Hand in the rule at once, and again when told what is missing."""
    return says(submission("job_finished_on_retry"))


def evaluated(*arguments: str, **options: Any) -> str:
    """Run the command in this process and return what it printed."""
    said = StringIO()
    call_command(
        "evaluate", *arguments, stdout=said, stderr=StringIO(), **{"here": True, "jobs": 1, **options}
    )
    return said.getvalue()
