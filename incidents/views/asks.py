"""Calls that wait for a person: seen and answered here, by whoever may work on the incident."""

from typing import Any

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person, requires
from accounts.models import User
from accounts.permissions import Permission
from incidents.queries import visible_incidents
from toolbox import asks, registry
from toolbox.models import Ask

_ANSWERED_SHOWN = 20


@require_safe
@never_cache
@requires(Permission.TRIAGE_INCIDENTS)
def show_all(request: HttpRequest) -> HttpResponse:
    """The calls that wait now, then the last ones that were answered or expired."""
    return _page(request)


@require_POST
@requires(Permission.TRIAGE_INCIDENTS)
def answer(request: HttpRequest, number: int) -> HttpResponse:
    """Allow or refuse one call."""
    user = person(request)
    if not _visible(user).filter(pk=number).exists():
        raise Http404(f"There is no ask {number}, or it belongs to another team.")
    choice = request.POST.get("answer", "")
    if choice not in ("allow", "refuse"):
        return _page(request, refusal="Nothing was answered: choose to allow or to refuse.", status=422)
    words = request.POST.get("words", "").replace("\0", "")
    try:
        ask = asks.answer(number, by=user, allow=choice == "allow", words=words)
    except asks.AskRefused as refusal:
        return _page(request, refusal=str(refusal), status=422)
    messages.success(request, f"Ask {ask.pk}: {ask.answer}.")
    return redirect("asks")


def _visible(user: User) -> QuerySet[Ask]:
    if user.has_perm(Permission.SEE_EVERY_TEAM):
        return Ask.objects.all()
    return Ask.objects.filter(Q(incident__in=visible_incidents(user).values("pk")))


def _page(request: HttpRequest, *, refusal: str = "", status: int = 200) -> HttpResponse:
    rows = _visible(person(request))
    waiting = asks.open_asks()
    context: dict[str, Any] = {
        "waiting": rows.filter(pk__in=waiting.values("pk")),
        "answered": rows.exclude(pk__in=waiting.values("pk")).order_by("-pk")[:_ANSWERED_SHOWN],
        "titles": {name: tool.title for name, tool in registry.current().definitions.items()},
        "refusal": refusal,
        "nav": "tools",
    }
    template = "toolbox/_asks.html" if getattr(request, "htmx", False) else "toolbox/asks.html"
    return render(request, template, context, status=status)
