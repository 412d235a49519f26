"""Saved views of the queue, its columns, and the palette."""

from typing import Any
from urllib.parse import parse_qsl

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person, repeats, requires
from accounts.permissions import Permission
from incidents import queue, queue_palette, queue_saved
from incidents.queue_wants import Wanted, wanted


@require_POST
@requires(Permission.SEE_INCIDENTS)
def save(request: HttpRequest) -> HttpResponse:
    """Keep the filters of the page under a name, for oneself, for a team or for everybody."""
    want = _here(request)
    name, audience = request.POST.get("name", ""), request.POST.get("audience", "")
    try:
        view = queue_saved.save(want, name=name, audience=audience, by=person(request), now=timezone.now())
    except queue_saved.ViewRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"Kept as “{view.name}”.")
    return _back(want)


@require_POST
@requires(Permission.SEE_INCIDENTS)
def delete(request: HttpRequest, number: int) -> HttpResponse:
    """Delete a view; the incidents stay."""
    if queue_saved.delete(number, by=person(request)):
        messages.success(request, "The view is deleted. No incident was touched.")
    else:
        messages.error(request, "Not deleted: that view is gone, or somebody else's.")
    return _back(_here(request))


@require_POST
@repeats
@requires(Permission.SEE_INCIDENTS)
def columns(request: HttpRequest) -> HttpResponse:
    """Keep which columns one sees."""
    queue_saved.choose(person(request), request.POST.getlist("column"))
    return _back(_here(request))


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def palette(request: HttpRequest) -> HttpResponse:
    """Incidents, pages, actions and rules by a few words: a page of its own, or what the dialog shows."""
    user = person(request)
    words = request.GET.get("q", "")
    context: dict[str, Any] = {
        "words": words.replace("\0", "")[:200],
        "groups": queue_palette.found(user, queue.sight(user), words),
        "nav": "",
    }
    part = "_palette" if getattr(request, "htmx", False) else "palette"
    return render(request, f"incidents/{part}.html", context)


def _here(request: HttpRequest) -> Wanted:
    return wanted(dict(parse_qsl(request.POST.get("here", "")[:2_000])))


def _back(want: Wanted) -> HttpResponse:
    return HttpResponseRedirect(f"{reverse('queue')}?{want.address()}")
