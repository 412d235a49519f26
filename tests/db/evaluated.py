"""Closed incidents of the scripted world, and the command that investigates them again."""

from collections.abc import Callable
from io import StringIO
from typing import Any

from django.core.management import call_command

from incidents.models import Incident
from tests.db.exported import closed
from tests.db.sources import make_source

RULE = "job_finished_on_retry"


def three(make_user: Callable[..., Any]) -> list[Incident]:
    """Close three incidents that passed: two were harmless indeed, and one was real."""
    source = make_source()
    return [
        closed(make_user, outcome, f"job-{number}", source=source)
        for number, outcome in ((7, "harmless"), (8, "harmless"), (9, "real and fixed"))
    ]


def evaluated(*arguments: str, **options: Any) -> str:
    """Run the command in this process and return what it printed."""
    said, given = StringIO(), {"here": True, "jobs": 1, **options}
    call_command("evaluate", *arguments, stdout=said, stderr=StringIO(), **given)
    return said.getvalue()
