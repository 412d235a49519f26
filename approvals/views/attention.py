"""Whether people still look before they approve, for managers, administrators and auditors."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import requires
from accounts.permissions import Permission
from approvals import attention
from approvals.actions import registry
from approvals.views.requests import common


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def show(request: HttpRequest) -> HttpResponse:
    """Time to decide, approvals within seconds, requests that ran out unread, open ones of each team."""
    now = timezone.now()
    everybody, each = attention.deciders(now)
    context = {
        "everybody": everybody,
        "deciders": each,
        "expired": attention.expired(now),
        "teams": attention.open_by_team(now),
        "cap": registry.current().policy.open_per_team,
        "weeks": attention.WEEKS,
        "here": "attention",
        **common(request),
    }
    return render(request, "approvals/attention.html", context)
