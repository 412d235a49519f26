"""Golden sets: what each version holds, its hard rows, and the rows that wait for a person's word."""

from typing import Any

from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from investigations.classification import ContractUnknown, contract
from trials import veiled
from trials.golden import keeping, showing
from trials.golden.keeping import GoldenSetRefused
from trials.models import GoldenSet

_MOST = 100


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def show_all(request: HttpRequest) -> HttpResponse:
    """Every set with its versions, the newest first."""
    waiting = Q(rows__confirmed_at=None, rows__dropped_by="", rows__pk__isnull=False)
    rows = GoldenSet.objects.annotate(
        confirmed=Count("rows", filter=Q(rows__confirmed_at__isnull=False)),
        waiting=Count("rows", filter=waiting),
    ).order_by("name", "-version")
    return render(request, "trials/golden_sets.html", {"sets": rows[:_MOST], "nav": "trials"})


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def show(request: HttpRequest, number: int) -> HttpResponse:
    """One version."""
    return _page(request, _found(number))


@require_POST
@requires(Permission.REVIEW_TRIALS)
def settle(request: HttpRequest, number: int) -> HttpResponse:
    """Confirm the chosen rows, or refuse them for good."""
    golden, user = _found(number), person(request)
    chosen = [each.replace("\0", "") for each in request.POST.getlist("row")]
    if veiled.rows_kept(chosen, veiled.kept_from(user)):
        return _page(request, golden, refusal="You audit one of these: answer its audit first.", status=422)
    act = request.POST.get("act", "")
    if not chosen or act not in ("confirm", "refuse"):
        return _page(request, golden, refusal="Choose at least one row, then confirm or refuse.", status=422)
    try:
        if act == "confirm":
            count = keeping.confirm(golden, chosen, by=user.username, now=timezone.now())
        else:
            count = keeping.drop(golden, chosen, by=user.username)
    except GoldenSetRefused as refused:
        return _page(request, golden, refusal=str(refused), status=422)
    plural = "row is" if count == 1 else "rows are"
    messages.success(request, f"{count} {plural} {'confirmed' if act == 'confirm' else 'refused'}.")
    return redirect("golden_set", number)


def _found(number: int) -> GoldenSet:
    golden = GoldenSet.objects.filter(pk=number).first()
    if golden is None:
        raise Http404(f"There is no golden set {number}.")
    return golden


def _page(request: HttpRequest, golden: GoldenSet, *, refusal: str = "", status: int = 200) -> HttpResponse:
    holds = showing.shown(golden, _labels(golden), now=timezone.now())
    candidates = keeping.candidates_of(golden)
    confirmed = golden.rows.exclude(confirmed_at=None)
    kept = veiled.kept_from(person(request))
    context: dict[str, Any] = {
        "golden": golden,
        "shown": holds,
        "origins": sorted(holds.by_origin.items()),
        "candidates": veiled.marked(candidates[:_MOST], kept),
        "more": max(0, len(candidates) - _MOST),
        "hard": veiled.marked(confirmed.exclude(hard="").order_by("pk")[:_MOST], kept),
        "versions": GoldenSet.objects.filter(name=golden.name).order_by("-version"),
        "can_review": person(request).has_perm(Permission.REVIEW_TRIALS),
        "refusal": refusal,
        "nav": "trials",
    }
    return render(request, "trials/golden_set.html", context, status=status)


def _labels(golden: GoldenSet) -> tuple[str, ...]:
    """Return the labels of a set's contract; those that its rows have where that version is gone."""
    try:
        return contract(golden.contract).labels
    except ContractUnknown:
        return tuple(golden.rows.order_by("label").values_list("label", flat=True).distinct())
