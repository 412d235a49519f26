"""Any two evaluations, or any two runs of drills, beside each other."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person, requires
from accounts.models import User
from accounts.permissions import Permission
from assay_core.numbers import whole
from trials import queries, veiled
from trials.drills import listing, showing
from trials.drills.listing import NotCompared
from trials.models import Evaluation
from trials.queries import NoSuchEvaluation
from trials.views.evaluations import columns

_MOST = 100


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def show(request: HttpRequest) -> HttpResponse:
    """A form that chooses two; below it, both beside each other."""
    is_drills = request.GET.get("what") == "drills"
    first, second = (whole(request.GET.get(name, "")) or 0 for name in ("first", "second"))
    context: dict[str, Any] = {
        "is_drills": is_drills,
        "first": first,
        "second": second,
        "choices": _runs() if is_drills else _evaluations(),
        "refusal": "",
        "nav": "trials",
    }
    if first and second:
        of_both = _of_drills if is_drills else _of_evaluations
        try:
            context |= of_both(first, second, person(request))
        except (NoSuchEvaluation, NotCompared) as refused:
            context["refusal"] = str(refused)
    return render(request, "trials/compare.html", context)


def _of_evaluations(first: int, second: int, user: User) -> dict[str, Any]:
    found = queries.compared(first, second, without=veiled.kept_from(user))
    return {
        "compared": found,
        "sides": [
            (queries.evaluation(first), columns(found.first)[0]),
            (queries.evaluation(second), columns(found.second)[0]),
        ],
    }


def _of_drills(first: int, second: int, user: User) -> dict[str, Any]:
    if why := veiled.run_kept([first, second], user):
        raise NotCompared(why)
    runs = {run.pk: run for run in listing.open_runs().filter(pk__in=[first, second])}
    if missing := [number for number in (first, second) if number not in runs]:
        raise NotCompared(
            f"Run {missing[0]} is not there, or rows of its drill are unread. Runs are compared once the "
            "drill that they are of was read."
        )
    found, needed = listing.side_by_side(runs[first], runs[second])
    return {"runs": (runs[first], runs[second]), "table": showing.table(found, needed), "found": found}


def _evaluations() -> list[tuple[int, str]]:
    rows = Evaluation.objects.all()[:_MOST]
    return [(row.pk, f"{row.pk}: {row.endpoint}, {row.created_at:%Y-%m-%d %H:%M} UTC") for row in rows]


def _runs() -> list[tuple[int, str]]:
    rows = listing.open_runs()[:_MOST]
    return [(run.pk, f"{run.pk}: {run.endpoint}, {run.started_at:%Y-%m-%d %H:%M} UTC") for run in rows]
