"""A model's run: stopped or told something while it goes on, and its page with each step and transcript."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from incidents import steering
from incidents.models import Incident
from incidents.steering import NotToBeHad
from incidents.views.incident import found, page, unveiled
from investigations import runstory, transcripts
from investigations.models import Exchange, Investigation
from investigations.transcripts import TranscriptMissing


@require_POST
@requires(Permission.TRIAGE_INCIDENTS)
def stop(request: HttpRequest, number: int) -> HttpResponse:
    """Stop the investigation that goes on."""
    incident = unveiled(request, number)
    try:
        said = steering.stop(incident.pk, by=person(request), reason=_words(request, "reason"))
    except NotToBeHad as refusal:
        return page(request, incident, refusal=str(refusal), status=422)
    return _done(request, incident, said)


@require_POST
@requires(Permission.TRIAGE_INCIDENTS)
def tell(request: HttpRequest, number: int) -> HttpResponse:
    """Tell the run something."""
    incident = unveiled(request, number)
    text = _words(request, "note")
    try:
        steering.tell(incident.pk, text, by=person(request))
    except NotToBeHad as refusal:
        return page(request, incident, forms={"note_typed": text}, refusal=str(refusal), status=422)
    return _done(request, incident, "Told. The model reads it before its next step.")


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest, number: int, run: int) -> HttpResponse:
    """One run: what was said, asked and spent, step by step."""
    incident = unveiled(request, number)
    row = Investigation.objects.filter(pk=run, incident_id=incident.pk).first()
    if row is None:
        raise Http404(f"There is no run {run} of incident {number}.")
    context = {"incident": incident, "run": runstory.page(row), "nav": "queue"}
    return render(request, "incidents/run.html", context)


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def transcript(request: HttpRequest, number: int, exchange: int) -> HttpResponse:
    """One exchange with a model as it was kept: each message, and the reply. Secrets are masked."""
    incident = unveiled(request, number)
    row = Exchange.objects.filter(pk=exchange, incident_id=incident.pk).first()
    if row is None:
        raise Http404(f"There is no exchange {exchange} about incident {number}.")
    context: dict[str, Any] = {"incident": incident, "exchange": row, "nav": "queue"}
    try:
        context["record"] = transcripts.read(row.transcript_digest) if row.transcript_digest else None
    except TranscriptMissing as missing:
        context["missing"] = str(missing)
    return render(request, "incidents/transcript.html", context)


def _done(request: HttpRequest, incident: Incident, words: str) -> HttpResponse:
    messages.success(request, words)
    if getattr(request, "htmx", False):
        return page(request, found(request, incident.pk))
    return redirect("incident", incident.pk)


def _words(request: HttpRequest, field: str) -> str:
    return request.POST.get(field, "").replace("\0", "")
