"""All evaluations and drills, and how each endpoint has scored over time."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from trials import history, queries, veiled
from trials.drills import listing

_MOST = 50


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def show_all(request: HttpRequest) -> HttpResponse:
    """The newest of both, and the scores of each endpoint."""
    endpoint = request.GET.get("endpoint", "").replace("\0", "")[:40]
    kept = veiled.kept_from(person(request))
    context = {
        "evaluations": queries.evaluations(endpoint=endpoint, most=_MOST),
        "drills": listing.drills(most=_MOST, endpoint=endpoint),
        "scored": [
            (
                "Verdicts as it really was, by evaluations",
                "verdicts",
                history.of_evaluations(endpoint, without=kept),
            ),
            ("Labels as people gave them, by drills", "labels", history.of_drills(endpoint, without=kept)),
        ],
        "endpoint": endpoint,
        "most": _MOST,
        "nav": "trials",
    }
    return render(request, "trials/all.html", context)
