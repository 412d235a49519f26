"""What a person does about a verdict on the incident page; each move answers htmx and a plain browser."""

from collections.abc import Callable

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from accounts.services import actor_name
from audit import writing
from incidents import ruledraft, second_looks
from incidents.forms import IdentifyForm, MoveForm, RefuteForm
from incidents.models import Incident
from incidents.moves import MoveRefused
from incidents.second_looks import Named
from incidents.views.incident import found, page, unveiled
from investigations.refuting import Word

_triage = requires(Permission.TRIAGE_INCIDENTS)


@require_POST
@_triage
def refute(request: HttpRequest, number: int) -> HttpResponse:
    """Say that an answer speaks against a pass, and judge again."""
    return _word(request, number, withdraws=False)


@require_POST
@_triage
def withdraw(request: HttpRequest, number: int) -> HttpResponse:
    """Take back what was said against a pass, and judge again."""
    return _word(request, number, withdraws=True)


@require_POST
@_triage
def identify(request: HttpRequest, number: int) -> HttpResponse:
    """Give an identifier, or confirm one that a model named."""
    incident, form = unveiled(request, number), IdentifyForm(request.POST)
    if not form.is_valid():
        return _refused(request, incident, "Not kept: a name has at most 60 characters, a value 200.")
    said = form.cleaned_data
    named = Named(said["name"], said["value"], said["confirms"], said["seen"])

    def move() -> str:
        row = second_looks.identify(incident.pk, named, by=person(request), now=timezone.now())
        return f"{row.name} is {row.value}. The next investigation asks about it."

    return _made(request, incident, move)


@require_POST
@_triage
def investigate(request: HttpRequest, number: int) -> HttpResponse:
    """Have the incident investigated again."""
    incident, form = unveiled(request, number), MoveForm(request.POST)
    if not form.is_valid():
        return _refused(request, incident, "Nothing was changed: the form did not say what it was made on.")

    def move() -> str:
        second_looks.investigate_again(
            incident.pk,
            by=person(request),
            version=form.cleaned_data["version"],
            now=timezone.now(),
            rubric=request.POST.get("rubric", ""),
        )
        return "It is being investigated again."

    return _made(request, incident, move)


@require_safe
@never_cache
@_triage
def draft_rule(request: HttpRequest, number: int) -> HttpResponse:
    """Answer with the beginning of a rule and its cases in one archive."""
    incident = unveiled(request, number)
    try:
        name, text = ruledraft.draft(incident, request.GET.get("name", ""))
    except ruledraft.DraftRefused as refusal:
        return page(request, incident, refusal=f"No rule was begun. {refusal}", status=409)
    with transaction.atomic():
        writing.write("rule.drafted", {"rule": name}, actor=actor_name(person(request)), incident=incident.pk)
    answer = HttpResponse(ruledraft.archive(name, text), content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    return answer


def _word(request: HttpRequest, number: int, *, withdraws: bool) -> HttpResponse:
    incident, form = unveiled(request, number), RefuteForm(request.POST)
    if not form.is_valid():
        return _refused(
            request, incident, "Nothing was changed: choose an answer and say why, in 500 characters."
        )
    word = Word(form.cleaned_data["entry"], form.cleaned_data["because"], withdraws)

    def move() -> str:
        judgement = second_looks.refute(incident.pk, word, by=person(request), now=timezone.now())
        return f"Judged again. {judgement.reason}"

    return _made(request, incident, move)


def _made(request: HttpRequest, incident: Incident, move: Callable[[], str]) -> HttpResponse:
    try:
        words = move()
    except MoveRefused as refusal:
        return _refused(request, incident, str(refusal))
    messages.success(request, words)
    if getattr(request, "htmx", False):
        return page(request, found(request, incident.pk))
    return redirect("incident", incident.pk)


def _refused(request: HttpRequest, incident: Incident, why: str) -> HttpResponse:
    return page(request, found(request, incident.pk), refusal=why, status=422)
