"""The queue, and the pulse that keeps its counts fresh."""

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from incidents import queue
from incidents.models import Incident
from incidents.queries import visible_sources
from incidents.queue import SEVERITIES, Sort, Tab

_SORT_TITLES = {Sort.NEWEST: "Last heard of", Sort.OLDEST: "Oldest first", Sort.SEVERITY: "Severity"}


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest) -> HttpResponse:
    """One page of the queue; every choice stands in the address."""
    user = person(request)
    want = queue.wanted(request.GET.dict())
    context = {
        "want": want,
        "shelves": queue.shelves(user, want),
        "page": queue.page(user, want),
        "newest": queue.newest_id(user, want),
        "sources": visible_sources(user),
        "severities": SEVERITIES,
        "sorts": _SORT_TITLES.items(),
        "kinds": ("alert", "claim", "issue"),
        "is_fresh": not Incident.objects.exists(),
        "read_at": timezone.now(),
        "nav": "queue",
    }
    part = _part(request)
    return render(request, f"incidents/{part}.html", context)


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def pulse(request: HttpRequest) -> HttpResponse:
    """The tabs with their counts now, and how many incidents have arrived since the page was made."""
    user = person(request)
    want = queue.wanted(request.GET.dict())
    since = request.GET.get("since", "")
    newest = int(since) if since.isascii() and since.isdigit() and len(since) < 19 else 0
    context = {
        "want": want,
        "shelves": queue.shelves(user, want),
        "arrivals": queue.arrivals(user, want, newest),
        "read_at": timezone.now(),
        "here": f"?{_without(request.GET, 'since', 'after', 'before')}",
    }
    return render(request, "incidents/_pulse.html", context)


def _part(request: HttpRequest) -> str:
    htmx: Any = getattr(request, "htmx", None)
    return "_queue" if htmx and not htmx.history_restore_request else "queue"


def _without(query: QueryDict, *names: str) -> str:
    kept = query.copy()
    for name in names:
        kept.pop(name, None)
    return kept.urlencode()


__all__ = ["Tab", "pulse", "show"]
