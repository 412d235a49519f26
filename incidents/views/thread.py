"""Questions about an incident: asked on its page, answered by a worker, shown as they are answered."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from accounts.services import actor_name
from incidents import thread
from incidents.models import Incident
from incidents.views.incident import page, unveiled
from investigations import questions
from investigations.questions import QuestionRefused


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest, number: int, question: int) -> HttpResponse:
    """One question alone, for the page to swap in; a plain browser is led to its place on the page."""
    incident = unveiled(request, number)
    row = questions.of_incident(incident.pk, question)
    if row is None:
        raise Http404(f"There is no question {question} about incident {number}.")
    if not getattr(request, "htmx", False):
        return redirect(f"{reverse('incident', args=[incident.pk])}#question-{question}")
    context = {
        "incident": incident,
        "line": thread.line(row),
        "can_move": person(request).has_perm(Permission.TRIAGE_INCIDENTS),
    }
    return render(request, "incidents/_question.html", context)


@require_POST
@requires(Permission.TRIAGE_INCIDENTS)
def ask(request: HttpRequest, number: int) -> HttpResponse:
    """Ask a question about an incident."""
    incident = unveiled(request, number)
    text = request.POST.get("question", "")
    try:
        thread.ask(incident, text, by=person(request), now=timezone.now())
    except QuestionRefused as refusal:
        return _refused(request, incident, str(refusal), text)
    return _shown(request, incident)


@require_POST
@requires(Permission.TRIAGE_INCIDENTS)
def stop(request: HttpRequest, number: int, question: int) -> HttpResponse:
    """Stop waiting for an answer."""
    incident = unveiled(request, number)
    try:
        questions.stop(incident.pk, question, by=actor_name(person(request)), now=timezone.now())
    except QuestionRefused as refusal:
        return _refused(request, incident, str(refusal), "")
    return _shown(request, incident)


def _shown(request: HttpRequest, incident: Incident) -> HttpResponse:
    if not getattr(request, "htmx", False):
        return redirect(f"{reverse('incident', args=[incident.pk])}#thread")
    return _part(request, incident, refusal="", typed="", status=200)


def _refused(request: HttpRequest, incident: Incident, why: str, typed: str) -> HttpResponse:
    """Say why not, with what was typed still in its field."""
    if getattr(request, "htmx", False):
        return _part(request, incident, refusal=why, typed=typed, status=422)
    return page(request, incident, forms={"thread_refusal": why, "question_typed": typed}, status=422)


def _part(request: HttpRequest, incident: Incident, *, refusal: str, typed: str, status: int) -> HttpResponse:
    context = {
        "incident": incident,
        "thread": thread.lines(incident),
        "is_answered": thread.is_answered(),
        "thread_refusal": refusal,
        "question_typed": typed,
        "can_move": person(request).has_perm(Permission.TRIAGE_INCIDENTS),
    }
    return render(request, "incidents/_thread.html", context, status=status)
