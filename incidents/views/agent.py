"""How the models do: the outcomes of their runs, week by week, and the runs that brought nothing usable."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import requires
from accounts.permissions import Permission
from investigations import endpoints, runstory, shares

_SHOWN = 25


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def show(request: HttpRequest) -> HttpResponse:
    """The shares by outcome, whether more runs fail than before, and the last ones that did."""
    now = timezone.now()
    context = {
        "trend": shares.trend(now),
        "weeks": shares.weeks(now),
        "unusable": runstory.last_unusable(_SHOWN),
        "words": runstory.OUTCOMES,
        "investigator": endpoints.investigator(),
        "nav": "agent",
    }
    return render(request, "incidents/agent.html", context)
