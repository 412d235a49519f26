"""The page of the model endpoints: what each is, who hosts it, whether it works, what it has cost."""

import re
import secrets
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from investigations import agentlimits, endpoints, inuse, spending, tasks, terms
from investigations.named import Endpoint
from investigations.states import Purpose
from investigations.talk import EndpointRefused
from investigations.terms import TermsRefused

_TOKEN = re.compile(r"[0-9a-f]{1,32}", re.ASCII)


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def show_all(request: HttpRequest) -> HttpResponse:
    """Every endpoint that is set."""
    return _page(request)


@require_POST
@requires(Permission.MANAGE_TOOLS)
def record(request: HttpRequest, name: str) -> HttpResponse:
    """Record who hosts the endpoint and that its terms were read, if its host is still the one shown."""
    place = _found(name)
    if request.POST.get("host", "") != place.host:
        return _page(
            request, refusal=f"The endpoint {name} is at {place.host} now: nothing was recorded.", status=422
        )
    try:
        terms.record(
            place.host,
            hosted_by=_words(request, "hosted_by"),
            terms=_words(request, "terms"),
            by=person(request),
            now=timezone.now(),
        )
    except TermsRefused as refused:
        return _page(request, refusal=str(refused), given=name, status=422)
    messages.success(request, f"{place.host} may be spoken to.")
    return redirect(_address(name))


@require_POST
@requires(Permission.MANAGE_TOOLS)
def take_back(request: HttpRequest, name: str) -> HttpResponse:
    """Take the word back: from the next request on nothing is sent there."""
    place = _found(name)
    try:
        terms.end(place.host, by=person(request), now=timezone.now())
    except TermsRefused as refused:
        return _page(request, refusal=str(refused), status=422)
    messages.success(request, f"Nothing is sent to {place.host} any more.")
    return redirect(_address(name))


@require_POST
@requires(Permission.MANAGE_TOOLS)
def attempt(request: HttpRequest, name: str) -> HttpResponse:
    """Have the worker with the key try it."""
    _found(name)
    token = secrets.token_hex(8)
    tasks.ask_for_probe(name, token)
    return redirect(f"{reverse('endpoints')}?trying={name}-{token}#endpoint-{name}")


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def probed(request: HttpRequest, name: str) -> HttpResponse:
    """The part of the page that shows the last try, asked for again and again while one is awaited."""
    _found(name)
    context = {"name": name, **_tried(name, _token(request.GET.get("token", "")))}
    return render(request, "investigations/_probed.html", context)


def _token(text: str) -> str:
    """Return what names a try; anything else names none, and is put into no address."""
    return text if _TOKEN.fullmatch(text) else ""


def _tried(name: str, token: str) -> dict[str, Any]:
    """Return the last try of an endpoint, and the token of the one that is still awaited."""
    found = tasks.probed(name)
    is_awaited = bool(token) and (found is None or found["token"] != token)
    return {"probed": found, "awaited": token if is_awaited else ""}


def _words(request: HttpRequest, field: str) -> str:
    return request.POST.get(field, "").replace("\0", "")


def _address(name: str) -> str:
    return f"{reverse('endpoints')}#endpoint-{name}"


def _found(name: str) -> Endpoint:
    try:
        return endpoints.endpoint_named(name)
    except EndpointRefused as error:
        raise Http404(str(error)) from None


def _page(request: HttpRequest, *, refusal: str = "", given: str = "", status: int = 200) -> HttpResponse:
    trying, _, token = request.GET.get("trying", "").partition("-")
    now = timezone.now()
    shown = spending.cards(now)
    context: dict[str, Any] = {
        "cards": [
            {
                "card": card,
                "name": card.name,
                **_tried(card.name, _token(token) if card.name == trying else ""),
                "hosted_by": _words(request, "hosted_by") if card.name == given else "",
                "terms": _words(request, "terms") if card.name == given else "",
            }
            for card in shown
        ],
        "unset": spending.unset(),
        "worst": agentlimits.current(),
        "before": agentlimits.before(),
        "in_use": [(each, inuse.standing(each, now)) for each in Purpose if each not in inuse.FREE],
        "investigator": endpoints.investigator(),
        "days": spending.DAYS,
        "refusal": refusal,
        "can_manage": person(request).has_perm(Permission.MANAGE_TOOLS),
        "nav": "endpoints",
    }
    return render(request, "investigations/endpoints.html", context, status=status)
