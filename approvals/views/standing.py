"""The pages of what stands in the way of every write: the write switch, and the circuit breakers."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts import stepup
from accounts.access import person, requires
from accounts.models import Team
from accounts.permissions import Permission
from approvals import services
from approvals.actions import registry
from approvals.doors import people_only, proved, without_proof
from approvals.forms import BecauseForm, SwitchForm
from approvals.models import Breaker, WriteSwitch
from approvals.outcomes import MoveRefused
from approvals.views.requests import common

_CLOSED_SHOWN = 20


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def switch(request: HttpRequest) -> HttpResponse:
    """The write switch in each of its scopes."""
    return _switch_page(request)


@people_only(Permission.MANAGE_WRITES)
@require_POST
def flip(request: HttpRequest) -> HttpResponse:
    """Switch writes off at once, or ask for them to be on; on alone needs a fresh proof."""
    form = SwitchForm(request.POST)
    if not form.is_valid():
        return _switch_page(request, refusal="Nothing was switched: say why, and for what.", status=422)
    on = form.cleaned_data["to"] == "on"
    if on and stepup.recent(request, timezone.now()) is None:
        return without_proof(request)
    scope, because = form.cleaned_data["scope"], form.cleaned_data["because"]
    try:
        row = services.flip_switch(scope, on, person=person(request), because=because, now=timezone.now())
    except MoveRefused as refusal:
        return _switch_page(request, refusal=str(refusal), status=422)
    messages.success(request, _flipped(row, on))
    return redirect("write_switch")


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def breakers(request: HttpRequest) -> HttpResponse:
    """The breakers that are open, then those that were closed of late."""
    return _breakers_page(request)


@people_only(Permission.MANAGE_WRITES)
@require_POST
@proved
def close(request: HttpRequest, number: int) -> HttpResponse:
    """Close one breaker, by name."""
    form = BecauseForm(request.POST)
    because = form.cleaned_data["because"] if form.is_valid() else ""
    try:
        services.close_breaker(number, person=person(request), because=because, now=timezone.now())
    except MoveRefused as refusal:
        return _breakers_page(request, refusal=str(refusal), status=422)
    messages.success(request, "The breaker is closed. What failed before counts no more.")
    return redirect("breakers")


def _flipped(row: WriteSwitch, on: bool) -> str:
    if not on:
        return f"Writes are off for {row.scope}, from now on."
    if row.writes_enabled:
        return f"Writes are on for {row.scope}."
    return "Asked for. A second person has to ask for it within 15 minutes; until then writes stay off."


def _switch_page(request: HttpRequest, *, refusal: str = "", status: int = 200) -> HttpResponse:
    rows = {row.scope: row for row in WriteSwitch.objects.select_related("wanted_by")}
    named = [("global", "Everywhere", "Every write needs this one.")]
    named += [
        (f"team:{team.pk}", f"Team {team.name}", "Writes of its requests.") for team in Team.objects.all()
    ]
    named += [(f"action:{name}", action.title, name) for name, action in registry.current().actions.items()]
    context: dict[str, Any] = {
        "scopes": [(scope, title, note, rows.get(scope)) for scope, title, note in named],
        "forced_off": not settings.WRITES_ENABLED,
        "can_manage": request.user.has_perm(Permission.MANAGE_WRITES),
        "refusal": refusal,
        "here": "switch",
        **common(request),
    }
    return render(request, "approvals/switch.html", context, status=status)


def _breakers_page(request: HttpRequest, *, refusal: str = "", status: int = 200) -> HttpResponse:
    rows = Breaker.objects.all()
    context: dict[str, Any] = {
        "open": rows.filter(closed_at=None),
        "closed": rows.exclude(closed_at=None).order_by("-closed_at")[:_CLOSED_SHOWN],
        "policy": registry.current().policy,
        "can_manage": request.user.has_perm(Permission.MANAGE_WRITES),
        "refusal": refusal,
        "here": "breakers",
        **common(request),
    }
    return render(request, "approvals/breakers.html", context, status=status)
