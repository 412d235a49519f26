"""What a person does on the incident page.

Each move answers htmx with the page's part and a plain browser with a redirect.
"""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.access import person, requires
from accounts.permissions import Permission
from incidents import queries, services
from incidents.forms import AskForm, CloseForm, MoveForm, ReopenForm
from incidents.models import Incident
from incidents.views.incident import found, page, unveiled
from incidents.views.listed import address_in, listed
from incidents.views.steps import onward

_triage = requires(Permission.TRIAGE_INCIDENTS)


@require_POST
@_triage
def close(request: HttpRequest, number: int) -> HttpResponse:
    """Close with an outcome, the edited answer and a reason."""
    incident = found(request, number)
    form = CloseForm(request.POST)
    if form.is_valid() and not _may_name(request, form.cleaned_data["duplicate_of"]):
        form.add_error("duplicate_of", f"There is no incident {form.cleaned_data['duplicate_of']}.")
    if not form.is_valid():
        return _refused(request, incident, {"close_form": form}, "Not closed. See what is missing below.")

    def move() -> Incident:
        return services.close(incident.pk, by=person(request), now=timezone.now(), **form.cleaned_data)

    return _made(request, incident, move, f"Closed: {form.cleaned_data['outcome']}.", close_form=form)


@require_POST
@_triage
def reopen(request: HttpRequest, number: int) -> HttpResponse:
    """Open a closed incident again."""
    incident = found(request, number)
    form = ReopenForm(request.POST)
    if not form.is_valid():
        return _refused(request, incident, {"reopen_form": form}, "Not reopened. Say why it is open again.")

    def move() -> Incident:
        return services.reopen(incident.pk, by=person(request), now=timezone.now(), **form.cleaned_data)

    return _made(request, incident, move, "Open again.", reopen_form=form)


@require_POST
@_triage
def acknowledge(request: HttpRequest, number: int) -> HttpResponse:
    """Say that somebody is on it."""
    incident = found(request, number)

    def move(version: int) -> Incident:
        return services.acknowledge(incident.pk, by=person(request), version=version, now=timezone.now())

    return _plain_move(request, incident, move, "Acknowledged.")


@require_POST
@_triage
def assign(request: HttpRequest, number: int) -> HttpResponse:
    """Take the incident, or give it back where `to` is `nobody`."""
    incident = found(request, number)
    user = person(request)
    to = None if request.POST.get("to") == "nobody" else user

    def move(version: int) -> Incident:
        return services.assign(incident.pk, by=user, to=to, version=version, now=timezone.now())

    return _plain_move(request, incident, move, "Assigned to you." if to else "Assigned to nobody.")


@require_POST
@_triage
def ask(request: HttpRequest, number: int) -> HttpResponse:
    """Ask a missing fact now, and judge again."""
    incident = unveiled(request, number)
    form = AskForm(request.POST)
    if not form.is_valid():
        return _refused(request, incident, {}, "Not asked: that is not the name of a fact.")
    try:
        judgement = services.ask_missing(
            incident.pk, by=person(request), fact=form.cleaned_data["fact"] or None, now=timezone.now()
        )
    except services.MoveRefused as refusal:
        return _refused(request, incident, {}, str(refusal))
    return _done(request, incident, f"Asked and judged again. {judgement.reason}")


def _may_name(request: HttpRequest, number: int | None) -> bool:
    """Another team's incident cannot be named: saying that it exists would already tell."""
    return number is None or queries.incident(person(request), number) is not None


def _plain_move(
    request: HttpRequest, incident: Incident, move: Callable[[int], Incident], words: str
) -> HttpResponse:
    form = MoveForm(request.POST)
    if not form.is_valid():
        return _refused(
            request, incident, {}, "Nothing was changed: the form did not say what it was made on."
        )
    return _made(request, incident, lambda: move(form.cleaned_data["version"]), words)


def _made(
    request: HttpRequest, incident: Incident, move: Callable[[], Incident], words: str, **forms: Form
) -> HttpResponse:
    try:
        move()
    except services.MoveRefused as refusal:
        return _refused(request, incident, forms, str(refusal))
    return _done(request, incident, words)


def _done(request: HttpRequest, incident: Incident, words: str) -> HttpResponse:
    if request.POST.get("then") == "next":
        messages.success(request, f"#{incident.pk}: {words}")
        return onward(request, incident)
    messages.success(request, words)
    if getattr(request, "htmx", False):
        return page(request, found(request, incident.pk))
    return redirect(address_in(listed(request), incident.pk))


def _refused(request: HttpRequest, incident: Incident, forms: dict[str, Any], why: str) -> HttpResponse:
    """Show the incident as it is now with what was typed still in the form, ready for another try."""
    now = found(request, incident.pk)
    for form in forms.values():
        form.data = {**form.data.dict(), "version": now.version}
    return page(request, now, forms=forms, refusal=why, status=422)
