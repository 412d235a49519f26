"""What runs by itself: the nightly evaluation and the weekly drill. Read-only: settings say when."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import requires
from accounts.permissions import Permission
from trials.schedules import showing


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def show(request: HttpRequest) -> HttpResponse:
    """Both schedules with their next day, and how each time went."""
    now = timezone.now()
    context = {"standings": showing.standings(now), "ran": showing.newest(), "now": now, "nav": "trials"}
    return render(request, "trials/scheduled.html", context)
