"""What people write on an incident's page: notes, and the answer that they edit together."""

from contextlib import suppress
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from incidents import differences, editing, keyset, notes, queries, veiling
from incidents.forms import CloseForm, KeepForm
from incidents.models import Incident, Note
from incidents.moves import MoveRefused
from incidents.views.incident import found, page, unveiled

_PAGE = 50
_triage = requires(Permission.TRIAGE_INCIDENTS)


@require_POST
@_triage
def note(request: HttpRequest, number: int) -> HttpResponse:
    """Keep a note; one that was sent twice is kept once."""
    incident, text = found(request, number), request.POST.get("note", "")
    once = request.POST.get("once", "")
    again = notes.kept_a_moment_ago(incident, text, by=person(request), now=timezone.now())
    if again is not None:
        messages.info(request, "You wrote that a moment ago: it is kept once.")
        return redirect(f"{reverse('incident', args=[incident.pk])}#note-{again.pk}")
    try:
        kept = notes.write(incident, text, by=person(request), once=once, now=timezone.now())
    except notes.NoteRefused as refusal:
        typed = {"note_refusal": str(refusal), "note_typed": text}
        return page(request, found(request, number), forms=typed, status=422)
    for name in kept.unreached:
        messages.info(request, f"@{name} is nobody who sees this incident: nobody of that name is told.")
    messages.success(request, "The note is kept.")
    if getattr(request, "htmx", False):
        return page(request, found(request, number))
    return redirect(f"{reverse('incident', args=[incident.pk])}#note-{kept.note.pk}")


@require_POST
@_triage
def keep(request: HttpRequest, number: int) -> HttpResponse:
    """Keep the edited answer for everybody, or show what somebody else has kept meanwhile."""
    incident, form = unveiled(request, number), KeepForm(request.POST)
    typed = {name: request.POST.get(name, "") for name in ("outcome", "reason", "duplicate_of")}
    if not form.is_valid():
        why = " ".join(str(each) for errors in form.errors.values() for each in errors)
        return _not_kept(request, incident, typed, f"The text was not kept. {why}")
    said = form.cleaned_data
    try:
        edit = editing.keep(
            incident.pk, said["answer"], base=said["base"], by=person(request), now=timezone.now()
        )
    except MoveRefused as refusal:
        return _not_kept(request, incident, typed, str(refusal))
    messages.success(
        request, f"The text is kept, as state {edit.number}. The draft stays on record as it was."
    )
    if getattr(request, "htmx", False):
        now = found(request, incident.pk)
        return page(request, now, forms={"close_form": _form(now, {**typed, "answer": edit.text})})
    request.session["typed"] = {"incident": incident.pk, **typed}
    return redirect(f"{reverse('incident', args=[incident.pk])}#draft")


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def edits(request: HttpRequest, number: int) -> HttpResponse:
    """Every kept state of the answer, each beside what it was made from."""
    incident = unveiled(request, number)
    steps = [
        {"edit": edit, "pieces": differences.of_texts(before, edit.text)}
        for edit, before in editing.steps(incident.pk)
    ]
    context = {"incident": incident, "steps": steps, "nav": "queue"}
    return render(request, "incidents/edits.html", context)


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def mentions(request: HttpRequest) -> HttpResponse:
    """The notes that name the person, newest first, as far as they still see the incidents."""
    user = person(request)
    rows = Note.objects.filter(mentioned=user, incident__in=queries.visible_incidents(user).values("pk"))
    rows = rows.exclude(incident__in=veiling.kept_from(user))
    found_page = keyset.page(
        rows.select_related("incident", "by"),
        (("pk", True),),
        after=request.GET.get("after", ""),
        before=request.GET.get("before", ""),
        size=_PAGE,
    )
    return render(request, "incidents/mentions.html", {"page": found_page, "nav": "mentions"})


def _not_kept(request: HttpRequest, incident: Incident, typed: dict[str, str], why: str) -> HttpResponse:
    """Show the answer as it is now with what was typed still in its field."""
    now = found(request, incident.pk)
    form = _form(now, {**typed, "answer": request.POST.get("answer", "")})
    return page(request, now, forms={"close_form": form, "is_editing": True}, refusal=why, status=422)


def _form(incident: Incident, typed: dict[str, str]) -> CloseForm:
    """A closing form with what was typed and without a word about what is missing: nobody closes yet."""
    initial: dict[str, Any] = {"version": incident.version, **typed}
    with suppress(ValueError):
        initial["duplicate_of"] = int(typed.get("duplicate_of") or 0) or None
    return CloseForm(initial=initial)
