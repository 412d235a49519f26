"""The pages of messages and routes, and of what one wants to hear of oneself."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import after_stepup, person, requires
from accounts.permissions import Permission
from accounts.views import OWN
from assay_core.numbers import MAX_ID, whole
from notices import queries, services
from notices.events import CHOOSABLE, WORDS, Event, MessageState
from notices.forms import ChoiceForm, RouteForm
from notices.models import Route

PAGE = 50
_NAV = {"nav": "notices"}
_NEW = {"least_rank": 7, "events": [Event.NEEDS_PERSON.value]}
_manages = requires(Permission.MANAGE_PEOPLE)


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show_messages(request: HttpRequest) -> HttpResponse:
    """The messages, newest first, each with its outcome."""
    user = person(request)
    chosen = {name: request.GET.get(name, "") for name in ("state", "event")}
    rows = queries.messages(user, **chosen)
    older = request.GET.get("older", "")
    if (before := whole(older)) is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows.order_by("-pk")[: PAGE + 1])
    context = {
        **_NAV,
        "rows": [
            {"message": message, "words": WORDS[Event(message.notice.event)]} for message in found[:PAGE]
        ],
        "older": found[PAGE - 1].pk if len(found) > PAGE else "",
        "is_first": not older,
        "chosen": chosen,
        "is_filtered": any(chosen.values()),
        "states": list(MessageState),
        "events": list(WORDS.items()),
        "failed": queries.failed_lately(user, timezone.now()),
        "has_routes": Route.objects.filter(ended_at=None).exists(),
        "is_live": any(message.state == MessageState.WAITING for message in found[:PAGE]) and not older,
    }
    part = "_messages" if getattr(request, "htmx", False) else "messages"
    return render(request, f"notices/{part}.html", context)


@never_cache
@sensitive_variables("secret")
@require_http_methods(["GET", "HEAD", "POST"])
@_manages
@after_stepup
def show_routes(request: HttpRequest) -> HttpResponse:
    """The routes, and a form for a new one."""
    form = RouteForm(request.POST or None, initial=_NEW)
    route, secret = None, ""
    if request.method == "POST" and form.is_valid():
        try:
            route, secret = services.make(form.cleaned_data, by=person(request), now=timezone.now())
        except services.RouteRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, f"{route.title} is made. Try it with its test button.")
            if not secret:
                return redirect("notice_routes")
            form = RouteForm(initial=_NEW)
    context = {**_NAV, "routes": queries.routes(), "form": form, "secret": secret, "words": WORDS}
    return render(request, "notices/routes.html", context, status=422 if form.errors else 200)


@never_cache
@sensitive_variables("secret")
@require_http_methods(["GET", "HEAD", "POST"])
@_manages
@after_stepup
def show_route(request: HttpRequest, number: int) -> HttpResponse:
    """One route, to be changed."""
    route = _found(number)
    form = RouteForm(request.POST or None, initial=_as_it_is(route))
    secret = ""
    if request.method == "POST" and form.is_valid():
        try:
            secret = services.change(
                route, form.cleaned_data, by=person(request), now=timezone.now(), made_on=_made_on(request)
            )
        except services.RouteRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, "The route is changed.")
            if not secret:
                return redirect("notice_route", number)
    return _one(request, route, form, secret)


@never_cache
@sensitive_variables("secret")
@require_POST
@_manages
@after_stepup
def new_secret(request: HttpRequest, number: int) -> HttpResponse:
    """Give a webhook a new secret, shown this once."""
    route = _found(number)
    try:
        secret = services.new_secret(route, by=person(request), now=timezone.now(), made_on=_made_on(request))
    except services.RouteRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("notice_route", number)
    return _one(request, route, RouteForm(initial=_as_it_is(route)), secret)


@require_POST
@_manages
def test_route(request: HttpRequest, number: int) -> HttpResponse:
    """Send a test message; the page of messages shows how it ends."""
    try:
        services.test(_found(number), by=person(request), now=timezone.now())
    except services.RouteRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("notice_routes")
    messages.success(request, "A test message is on its way. Its outcome appears in the list.")
    return redirect("notices")


@require_POST
@_manages
@after_stepup
def end_route(request: HttpRequest, number: int) -> HttpResponse:
    """End a route."""
    because = request.POST.get("because", "").replace("\0", "").strip()[:300] or "no reason given"
    try:
        services.end(_found(number), by=person(request), because=because, now=timezone.now())
    except services.RouteRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, "The route is ended; what still waited on it is dropped.")
    return redirect("notice_routes")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def own(request: HttpRequest) -> HttpResponse:
    """What one wants to hear of by mail oneself."""
    user = person(request)
    route = queries.own_route(user)
    initial: dict[str, Any] = {"events": [], "least_rank": 7, "repeat_minutes": 0}
    if route is not None:
        initial = {name: getattr(route, name) for name in initial}
    form = ChoiceForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        services.choose(user, form.cleaned_data, now=timezone.now())
        messages.success(request, "Your choice is kept.")
        return redirect("own_notices")
    context = {**OWN, "here": "notices", "form": form, "route": route, "words": WORDS, "events": CHOOSABLE}
    return render(request, "notices/own.html", context, status=422 if form.errors else 200)


@require_POST
def test_own(request: HttpRequest) -> HttpResponse:
    """Send oneself a test mail."""
    user = person(request)
    route = queries.own_route(user)
    try:
        if route is None:
            raise services.RouteRefused("Choose first what you want to hear of.")
        services.test(route, by=user, now=timezone.now())
    except services.RouteRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, "A test mail is on its way.")
    return redirect("own_notices")


def _one(request: HttpRequest, route: Route, form: RouteForm, secret: str) -> HttpResponse:
    route.refresh_from_db()  # it may be another than this request began with
    context = {**_NAV, "route": route, "form": form, "secret": secret, "made_on": services.mark(route)}
    return render(request, "notices/route.html", context, status=422 if form.errors else 200)


def _made_on(request: HttpRequest) -> str:
    return request.POST.get("made_on", "")


def _as_it_is(route: Route) -> dict[str, Any]:
    return {name: getattr(route, name) for name in RouteForm.field_order}


def _found(number: int) -> Route:
    route = Route.objects.filter(pk=min(number, MAX_ID), person=None, ended_at=None).first()
    if route is None:
        raise Http404(f"There is no route {number}. It may have been ended.")
    return route
