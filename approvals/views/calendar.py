"""The change calendar: freezes that stand, that come, and that are over; and what is let through them."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from approvals import services
from approvals.doors import people_only, proved
from approvals.forms import BecauseForm, ExceptionForm, FreezeForm, blank_freeze
from approvals.models import Freeze
from approvals.outcomes import MoveRefused
from approvals.views.requests import common, found

_OVER_SHOWN = 20


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest) -> HttpResponse:
    """The calendar."""
    return _page(request)


@people_only(Permission.MANAGE_WRITES)
@require_POST
def make(request: HttpRequest) -> HttpResponse:
    """Put a freeze into the calendar."""
    form = FreezeForm(request.POST)
    if not form.is_valid():
        return _page(request, form=form, status=422)
    title, scope = form.cleaned_data["title"], form.cleaned_data["scope"]
    try:
        services.make_freeze(title, scope, form.window(), person=person(request), now=timezone.now())
    except MoveRefused as refusal:
        return _page(request, form=form, refusal=str(refusal), status=422)
    messages.success(request, f"“{title}” stands in the calendar. Somebody else than you can end it early.")
    return redirect("calendar")


@people_only(Permission.MANAGE_WRITES)
@require_POST
@proved
def end(request: HttpRequest, number: int) -> HttpResponse:
    """End a freeze before its time; whoever made it cannot."""
    form = BecauseForm(request.POST)
    because = form.cleaned_data["because"] if form.is_valid() else ""
    try:
        freeze = services.end_freeze(number, person=person(request), because=because, now=timezone.now())
    except MoveRefused as refusal:
        return _page(request, refusal=str(refusal), status=422)
    messages.success(request, f"“{freeze.title}” has ended.")
    return redirect("calendar")


@people_only(Permission.MANAGE_WRITES)
@require_POST
@proved
def except_one(request: HttpRequest, number: int) -> HttpResponse:
    """Let one request through one freeze, by name."""
    form = ExceptionForm(request.POST)
    if not form.is_valid():
        return _page(
            request, refusal="Nobody is let through: give a request's number, and say why.", status=422
        )
    asked, because = found(request, form.cleaned_data["request"]), form.cleaned_data["because"]
    try:
        services.except_from_freeze(
            number, asked.pk, person=person(request), because=because, now=timezone.now()
        )
    except MoveRefused as refusal:
        return _page(request, refusal=str(refusal), status=422)
    messages.success(request, f"Request {asked.pk} is let through this freeze. Every other gate stands.")
    return redirect("calendar")


def _page(
    request: HttpRequest, *, form: FreezeForm | None = None, refusal: str = "", status: int = 200
) -> HttpResponse:
    now = timezone.now()
    rows = Freeze.objects.prefetch_related("exceptions")
    ahead = rows.filter(ended_at=None, ends_at__gt=now)
    context: dict[str, Any] = {
        "standing": ahead.filter(starts_at__lte=now),
        "coming": ahead.filter(starts_at__gt=now),
        "over": rows.exclude(pk__in=ahead.values("pk")).order_by("-ends_at")[:_OVER_SHOWN],
        "form": form or blank_freeze(),
        "can_manage": request.user.has_perm(Permission.MANAGE_WRITES),
        "refusal": refusal,
        "here": "calendar",
        **common(request),
    }
    return render(request, "approvals/calendar.html", context, status=status)
