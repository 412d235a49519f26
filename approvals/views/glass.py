"""Break-glass: who holds it, who broke it and why, and its review."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts import stepup
from accounts.access import person, requires, stepup_address
from accounts.permissions import Permission
from approvals import breakglass, services
from approvals.doors import people_only
from approvals.forms import BecauseForm
from approvals.models import BreakGlass
from approvals.outcomes import MoveRefused
from approvals.views.requests import common

_SHOWN = 30


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest) -> HttpResponse:
    """The holders, and each time the glass was broken with what was decided under it."""
    return _page(request)


@people_only(Permission.BREAK_GLASS)
@require_POST
def break_it(request: HttpRequest) -> HttpResponse:
    """Decide alone for one hour; everybody sees it on every page of approvals."""
    now = timezone.now()
    form = BecauseForm(request.POST)
    reason = form.cleaned_data["because"] if form.is_valid() else ""
    try:
        # Without a strong proof it is refused there, and on record.
        services.break_glass(
            person=person(request), reason=reason, stepup=stepup.recent(request, now), now=now
        )
    except MoveRefused as refusal:
        return _page(request, refusal=str(refusal), status=422)
    messages.success(request, "The glass is broken for one hour. The gates stand. Somebody else reviews it.")
    return redirect("glass")


@people_only(Permission.MANAGE_WRITES)
@require_POST
def review(request: HttpRequest, number: int) -> HttpResponse:
    """Close the review of a broken glass; its holder cannot."""
    form = BecauseForm(request.POST)
    words = form.cleaned_data["because"] if form.is_valid() else ""
    try:
        services.review_glass(number, person=person(request), review=words, now=timezone.now())
    except MoveRefused as refusal:
        return _page(request, refusal=str(refusal), status=422)
    messages.success(request, "Reviewed.")
    return redirect("glass")


def _page(request: HttpRequest, *, refusal: str = "", status: int = 200) -> HttpResponse:
    now = timezone.now()
    rows = BreakGlass.objects.select_related("holder", "reviewed_by").prefetch_related("decisions")
    proof = stepup.recent(request, now)
    context: dict[str, Any] = {
        "holders": breakglass.holders(),
        "needed": breakglass.HOLDERS,
        "glasses": rows[:_SHOWN],
        "now": now,
        "can_break": request.user.has_perm(Permission.BREAK_GLASS),
        "is_proved": proof is not None and proof.is_strong,
        "proof_address": stepup_address("/approvals/glass/", is_strong=True),
        "can_review": request.user.has_perm(Permission.MANAGE_WRITES),
        "refusal": refusal,
        "here": "glass",
        **common(request),
    }
    return render(request, "approvals/glass.html", context, status=status)
