"""The queue, and the pulse that keeps its counts fresh."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from approvals import looking
from assay_core.numbers import whole
from incidents import queue, queue_counts, queue_saved, queue_undo
from incidents.queue_wants import KINDS, SEVERITIES, Sort, Wanted, wanted
from incidents.states import Outcome

_SORT_TITLES = {Sort.NEWEST: "Last heard of", Sort.OLDEST: "Oldest first", Sort.SEVERITY: "Severity"}
# A duplicate names what it repeats, which is another one for each row: it is closed on its own page.
OUTCOMES = tuple(outcome.value for outcome in Outcome if outcome != Outcome.DUPLICATE)
HOURS = {"1": "1 hour", "4": "4 hours", "24": "a day", "72": "3 days", "168": "a week"}


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest) -> HttpResponse:
    """One page of the queue; every choice stands in the address."""
    user, now = person(request), timezone.now()
    want = wanted(request.GET.dict())
    seen = queue.sight(user)
    newest, columns = queue_saved.look(user)
    counted, counts = _counted(request, seen, want)
    context = {
        **counts,
        "listed": want.named(),
        "page": queue.page(seen, want, among=counted.among),
        "newest": newest,
        "sources": seen.sources,
        "own_teams": seen.own_teams,
        "severities": SEVERITIES,
        "sorts": _SORT_TITLES.items(),
        "kinds": KINDS,
        "outcomes": OUTCOMES,
        "hours": HOURS.items(),
        "columns": columns,
        "every_column": queue_saved.COLUMNS.items(),
        "can_move": user.has_perm(Permission.TRIAGE_INCIDENTS),
        "can_share_with_all": seen.sees_every_team,
        "undo": queue_undo.offered(whole(request.GET.get("did", "")) or 0, by=user, now=now)
        if "did" in request.GET
        else None,
        "is_fresh": newest == 0,
        "read_at": now,
        "nav": "queue",
    }
    return render(request, f"incidents/{_part(request)}.html", context)


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def pulse(request: HttpRequest) -> HttpResponse:
    """The tabs with their counts now, and how many incidents have arrived since the page was made."""
    want = wanted(request.GET.dict())
    seen = queue.sight(person(request))
    context = {
        **_counted(request, seen, want)[1],
        "arrivals": queue.arrivals(seen, want, whole(request.GET.get("since", "")) or 0),
        "read_at": timezone.now(),
        "here": f"?{want.address()}",
    }
    return render(request, "incidents/_pulse.html", context)


def _counted(
    request: HttpRequest, seen: queue.Sight, want: Wanted
) -> tuple[queue_counts.Counts, dict[str, Any]]:
    views = queue_saved.views(person(request), seen)
    asked = {view.pk: queue_saved.want_of(view) for view in views}
    counted = queue_counts.counts(seen, want, asked)
    here = want.address()
    views_counted = [(view, counted.others[view.pk], view.query == here) for view in views]
    waiting = looking.to_decide(person(request), timezone.now())
    return counted, {"want": want, "shelves": counted.shelves, "views": views_counted, "to_decide": waiting}


def _part(request: HttpRequest) -> str:
    htmx: Any = getattr(request, "htmx", None)
    return "_queue" if htmx and not htmx.history_restore_request else "queue"
