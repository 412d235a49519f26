"""The review of a drill: row by row what people said, what both endpoints answered, and who was right."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person, requires
from accounts.permissions import REFUSALS, Permission
from trials import veiled
from trials.drills import deciding, queries
from trials.drills.deciding import Found, ReviewRefused, Said
from trials.forms import ReadForm
from trials.models import Drill
from trials.views.drills import found, what_it_comes_to


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def begin(request: HttpRequest, number: int) -> HttpResponse:
    """Go to the first row that nobody has read, else to the first."""
    drill = found(number)
    came = what_it_comes_to(drill)
    if not came.comparison.differing:
        return redirect("drill", number)
    kept = veiled.rows_kept(came.comparison.differing, veiled.kept_from(person(request)))
    return redirect("drill_row", number, _next(drill, came, kept, after=0) or 1)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def show(request: HttpRequest, number: int, place: int) -> HttpResponse:
    """One row; POST marks it as read and goes on to the next that nobody has read."""
    drill = found(number)
    came = what_it_comes_to(drill)
    rows = came.comparison.differing
    if not 1 <= place <= len(rows):
        raise Http404(f"Drill {number} has {len(rows)} rows in which the two differ.")
    kept = veiled.rows_kept(rows, veiled.kept_from(person(request)))
    if rows[place - 1] in kept:
        raise PermissionDenied("You audit the issue of this row: answer first, under Audits, then read it.")
    if request.method != "POST":
        return _page(request, drill, came, place)
    if not person(request).has_perm(Permission.REVIEW_TRIALS):
        raise PermissionDenied(REFUSALS[Permission.REVIEW_TRIALS])
    form = ReadForm(request.POST)
    if not form.is_valid():
        return _page(request, drill, came, place, form)
    if form.cleaned_data["row_id"] != rows[place - 1]:
        form.add_error(None, "Another row stands here than the one that you were shown. Read it again.")
        return _page(request, drill, came, place, form)
    said = Said(form.cleaned_data["right"], form.cleaned_data["note"])
    try:
        is_last = deciding.note_read(
            drill, rows[place - 1], by=person(request), now=timezone.now(), said=said
        )
    except ReviewRefused as refused:
        form.add_error(None, str(refused))
        return _page(request, drill, came, place, form)
    if is_last:
        messages.success(request, "Every row is read. This is what the drill comes to.")
        return redirect("drill", number)
    return redirect("drill_row", number, _next(drill, came, kept, after=place) or min(place + 1, len(rows)))


def _page(
    request: HttpRequest, drill: Drill, came: Found, place: int, form: ReadForm | None = None
) -> HttpResponse:
    user, rows = person(request), came.comparison.differing
    row_id = rows[place - 1]
    readings = list(drill.reads.filter(row_id=row_id))
    own = next((each for each in readings if each.by == user.username), None)
    initial = {"row_id": row_id, "right": own.right if own else "", "note": own.note if own else ""}
    unread = len(deciding.unread(drill, came))
    context: dict[str, Any] = {
        "drill": drill,
        "row": queries.difference(drill, row_id),
        "place": place,
        "of": len(rows),
        "read": len(rows) - unread,
        "unread": unread,
        "before": place - 1,
        "after": place + 1 if place < len(rows) else 0,
        # What others hold of a row is shown to whoever has said their own.
        "readings": readings if own or not user.has_perm(Permission.REVIEW_TRIALS) else [],
        "own": own,
        "form": form or ReadForm(initial=initial),
        "can_review": user.has_perm(Permission.REVIEW_TRIALS),
        "nav": "trials",
    }
    return render(request, "trials/review.html", context, status=422 if form else 200)


def _next(drill: Drill, came: Found, kept: frozenset[str], *, after: int) -> int:
    """Return the place of the next row to read, from the beginning again at the end; else 0.

    It is one that nobody has read, and none that is kept from this reader.
    """
    unread, rows = set(deciding.unread(drill, came)) - kept, came.comparison.differing
    places = [*range(after + 1, len(rows) + 1), *range(1, after + 1)]
    return next((place for place in places if rows[place - 1] in unread), 0)
