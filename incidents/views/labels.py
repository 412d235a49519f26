"""Proposing a label for an issue on GitHub: a write like any other, which people decide elsewhere."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.access import person, requires
from accounts.permissions import Permission
from approvals.outcomes import ProposalRefused
from incidents import proposed
from incidents.views.incident import found, page, unveiled


@require_POST
@requires(Permission.TRIAGE_INCIDENTS)
def propose(request: HttpRequest, number: int) -> HttpResponse:
    """Propose that the issue be given a label; nothing is written by that."""
    incident = unveiled(request, number)
    label = request.POST.get("label", "")[:100]
    try:
        filed = proposed.label(incident, label, by=person(request), now=timezone.now())
    except ProposalRefused as refusal:
        return page(request, incident, refusal=f"Not proposed. {refusal}", status=422)
    messages.success(request, f"Proposed as request {filed.pk}. It waits for somebody else's decision.")
    if getattr(request, "htmx", False):
        return page(request, found(request, incident.pk))
    return redirect("incident", incident.pk)
