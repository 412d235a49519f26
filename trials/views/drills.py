"""One drill: what may be said while rows are unread, then all of it; promotion, override, and its files."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import after_stepup, person, requires
from accounts.permissions import Permission
from investigations import endpoints, inuse
from investigations.inuse import FREE, Identity, UseRefused
from investigations.named import Endpoint
from investigations.states import Purpose
from investigations.talk import EndpointRefused
from trials import veiled
from trials.drills import booking, deciding, listing, promoting, sheet, showing
from trials.drills.deciding import Found, ReviewRefused
from trials.drills.policy import Outcome, PolicyUnusable
from trials.forms import OverrideForm, PromoteForm
from trials.models import Drill, DrillRun


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def show(request: HttpRequest, number: int) -> HttpResponse:
    """The drill, or as much of it as may be told yet."""
    return _page(request, found(number))


@require_POST
@requires(Permission.MANAGE_TOOLS)
@after_stepup
def promote(request: HttpRequest, number: int) -> HttpResponse:
    """Put the candidate in the place of the baseline."""
    drill, form = found(number), PromoteForm(request.POST)
    if not form.is_valid():
        return _page(request, drill, form=form, status=422)
    only = [Purpose(form.cleaned_data["purpose"])] if form.cleaned_data["purpose"] else []
    try:
        purposes = promoting.promote(drill, by=person(request), now=timezone.now(), only=only)
    except (ReviewRefused, UseRefused) as refused:
        return _page(request, drill, refusal=str(refused), status=422)
    messages.success(request, f"{drill.candidate.model} is in use now for {', '.join(purposes)}.")
    return redirect("drill", number)


@require_POST
@requires(Permission.MANAGE_TOOLS)
@after_stepup
def override(request: HttpRequest, number: int) -> HttpResponse:
    """Let the candidate's endpoint in without a passed drill, for some hours."""
    drill, form = found(number), OverrideForm(request.POST)
    if not form.is_valid():
        return _page(request, drill, form=form, status=422)
    try:
        row = inuse.override(
            Purpose(form.cleaned_data["purpose"]),
            _as_drilled(drill.candidate),
            hours=form.cleaned_data["hours"],
            because=form.cleaned_data["because"],
            by=person(request),
            now=timezone.now(),
        )
    except (ReviewRefused, UseRefused) as refused:
        return _page(request, drill, form=form, refusal=str(refused), status=422)
    messages.warning(
        request, f"{row.model} serves {row.purpose} WITHOUT A DRILL until {row.until:%Y-%m-%d %H:%M} UTC."
    )
    return redirect("drill", number)


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def download(request: HttpRequest, number: int) -> HttpResponse:
    """One run as CSV. Its rows add up to what is kept back: while a drill of it is unread, so are they."""
    run = DrillRun.objects.filter(pk=number).first()
    if run is None:
        raise Http404(f"There is no run {number} of a drill.")
    if why := veiled.run_kept([run.pk], person(request)):
        raise PermissionDenied(why)
    if not listing.open_runs().filter(pk=run.pk).exists():
        raise PermissionDenied(
            "Rows of this run's drill are unread, and its CSV adds up to what it comes to. Read them first."
        )
    answer = HttpResponse(sheet.text_of(booking.sheet_of(run)), content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="drill-run-{run.pk}.csv"'
    return answer


def found(number: int) -> Drill:
    """Return a drill with its runs. Raises Http404."""
    drill = Drill.objects.select_related("baseline", "candidate").filter(pk=number).first()
    if drill is None:
        raise Http404(f"There is no drill {number}.")
    return drill


def what_it_comes_to(drill: Drill) -> Found:
    """Return what a drill comes to. Raises Http404 where the contract has left its policy behind."""
    try:
        return deciding.found_of(drill)
    except PolicyUnusable as error:
        raise Http404(f"Drill {drill.pk} was decided by a policy of other labels: {error}") from None


def _as_drilled(run: DrillRun) -> Endpoint:
    """Return a run's endpoint as it is set, if it is still what was drilled. Raises ReviewRefused."""
    try:
        place = endpoints.endpoint_named(run.endpoint)
    except EndpointRefused as refused:
        raise ReviewRefused(str(refused)) from None
    if Identity.of(place) != Identity(run.base_url, run.model):
        raise ReviewRefused(
            f"The endpoint {run.endpoint} is {place.model} at {place.base_url} now, and not what this drill "
            "looked at. Drill that one."
        )
    return place


def _page(
    request: HttpRequest, drill: Drill, *, form: Form | None = None, refusal: str = "", status: int = 200
) -> HttpResponse:
    if why := veiled.run_kept([drill.baseline_id, drill.candidate_id], person(request)):
        raise PermissionDenied(why)
    came = what_it_comes_to(drill)
    unread = deciding.unread(drill, came)
    compared, now = came.comparison, timezone.now()
    context: dict[str, Any] = {
        "drill": drill,
        "runs": (("Baseline", drill.baseline), ("Candidate", drill.candidate)),
        "rows": compared.rows,
        "left_out": compared.left_out,
        "false_passes": compared.new.false_passes,
        "new_false_passes": compared.new_false_passes,
        "differing": len(compared.differing),
        "unread": len(unread),
        "digests": _digests(drill),
        "in_use": [
            (purpose.value, inuse.in_words(row))
            for purpose in Purpose
            if purpose not in FREE and (row := inuse.standing(purpose, now))
        ],
        "can_manage": person(request).has_perm(Permission.MANAGE_TOOLS),
        "promote_form": form if isinstance(form, PromoteForm) else PromoteForm(),
        "override_form": form if isinstance(form, OverrideForm) else OverrideForm(),
        "refusal": refusal,
        "nav": "trials",
    }
    if not unread:
        context |= {
            "came": came,
            "table": showing.table(compared, came.policy.rows_needed),
            "can_promote": came.decision.outcome is Outcome.PROMOTE and not drill.promoted_at,
            "readings": drill.reads.exclude(right="", note=""),
            "differing_rows": list(enumerate(compared.differing, start=1)),
        }
    return render(request, "trials/drill.html", context, status=status)


def _digests(drill: Drill) -> dict[str, str]:
    """Return by which digests the two runs were held to be alike, and the policy's."""
    said = booking.digests_of(drill.candidate)
    return {
        "golden rows": said.golden,
        "contract": said.contract,
        "prompts": said.prompt,
        "checks of reasons": said.rules,
        "policy": drill.policy_digest,
    }
