"""The stamps of one incident, and their correction by people who know better than the machine."""

from datetime import datetime

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.access import person, requires
from accounts.permissions import REFUSALS, Permission
from assay_core.instants import NotAnInstant, typed
from assay_core.numbers import whole
from incidents.figures import stamping
from incidents.figures.stages import EDITABLE
from incidents.figures.stamping import Correction, StampRefused
from incidents.models import Incident
from incidents.views.incident import unveiled


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest, number: int) -> HttpResponse:
    """When what happened, and who says so; POST corrects one of them. 404 where it is another team's."""
    incident = unveiled(request, number)
    if request.method != "POST":
        return _page(request, incident)
    user = person(request)
    if not user.has_perm(Permission.TRIAGE_INCIDENTS):
        raise PermissionDenied(REFUSALS[Permission.TRIAGE_INCIDENTS])
    name, because = request.POST.get("name", ""), request.POST.get("because", "")
    try:
        at = _instant(request.POST.get("at", ""))
        said = Correction(name, at, because, _seen(request.POST.get("seen", "")))
        stamping.edit(incident.pk, said, by=user, now=timezone.now())
    except StampRefused as refusal:
        return _page(request, incident, refusal=str(refusal), status=422)
    messages.success(request, f"“{stamping.title(name)}” is corrected. The figures count it within a minute.")
    return redirect("stamps", number)


def _instant(text: str) -> datetime:
    """Read a form's time, which is UTC, as its label says."""
    try:
        return typed(text)
    except NotAnInstant:
        raise StampRefused("Write the time as 2026-11-30 14:05, in UTC.") from None


def _seen(text: str) -> int | None:
    """Read which correction the form was made on; None for what comes from no page of ours."""
    return whole(text)


def _page(request: HttpRequest, incident: Incident, *, refusal: str = "", status: int = 200) -> HttpResponse:
    lines = stamping.lines(incident)
    context = {
        "incident": incident,
        "lines": lines,
        "seen": stamping.last_seen(lines),
        "editable": EDITABLE,
        "can_edit": person(request).has_perm(Permission.TRIAGE_INCIDENTS),
        "refusal": refusal,
        "posted": request.POST,
        "nav": "queue",
    }
    return render(request, "incidents/stamps.html", context, status=status)
