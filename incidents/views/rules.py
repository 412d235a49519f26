"""The rules now loaded, and those that could not be, with the reason."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import requires
from accounts.permissions import Permission
from investigations import rulebook as rulebooks
from verdicts.rule import RuleSpec


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One rule as the page shows it. The counts are None where its cases could not be read."""

    spec: RuleSpec
    earning: int | None
    failing: int | None
    is_suspended: bool


@require_safe
@requires(Permission.SEE_INCIDENTS)
def show_all(request: HttpRequest) -> HttpResponse:
    """The rulebook: each rule with its sentence, facts and cases; then the broken ones."""
    rulebook = rulebooks.current_rulebook()
    lines = [_line(spec, rulebook.suspended) for _, spec in sorted(rulebook.rules.items())]
    context = {
        "lines": lines,
        "broken": sorted(rulebook.broken.items()),
        "digest": rulebook.digest,
        "nav": "rules",
    }
    return render(request, "incidents/rules.html", context)


def _line(spec: RuleSpec, suspended: Iterable[str]) -> RuleLine:
    earning, failing = _counted(spec.cases)
    return RuleLine(spec, earning, failing, spec.name in suspended)


def _counted(cases: str) -> tuple[int | None, int | None]:
    try:
        expected = [case["expect"] for case in json.loads(cases)]
    except (ValueError, TypeError, KeyError):
        return None, None
    return expected.count("pass"), expected.count("fail")
