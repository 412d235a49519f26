"""The incident page: the verdict in words, the draft beside its evidence, and what was done."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person, requires
from accounts.models import User
from accounts.permissions import Permission
from assay_core.numbers import whole
from incidents import differences, editing, identifiers, issues, opening, queries, thread, veiling
from incidents.differences import Piece
from incidents.editing import Answer
from incidents.forms import CloseForm, ReopenForm
from incidents.models import Incident, Resolution
from incidents.states import State
from incidents.views.listed import listed
from incidents.wording import headline
from investigations import beside, runstory, watching
from investigations import queries as investigations
from investigations.queries import Story
from investigations.states import OPEN

ONLY = ("all", "person", "agent", "system", "signal")


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest, number: int) -> HttpResponse:
    """The page of one incident; 404 where it is another team's."""
    incident, user = found(request, number), person(request)
    is_unread = not queries.has(incident, "opening") and not queries.has(incident, "audit")
    if is_unread and user.has_perm(Permission.TRIAGE_INCIDENTS):
        opening.note(incident.pk, timezone.now())
    return page(request, incident)


def found(request: HttpRequest, number: int) -> Incident:
    """Return the incident or raise Http404: one of another team looks like one that is not there."""
    incident = queries.incident(person(request), number)
    if incident is None:
        raise Http404(f"There is no incident {number}, or it belongs to another team.")
    return incident


def unveiled(request: HttpRequest, number: int) -> Incident:
    """Return the incident as `found` does; Http404 also for who has yet to answer an audit of it."""
    incident = found(request, number)
    if queries.has(incident, "audit"):
        raise Http404("Whoever audits a pass sees what was decided after answering.")
    return incident


def page(
    request: HttpRequest,
    incident: Incident,
    *,
    forms: Mapping[str, Any] | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    """Render the page, or the part that htmx swaps, with forms that were refused where there are some."""
    user = person(request)
    if queries.has(incident, "audit") and veiling.is_veiled(user, incident.pk):
        context = _veiled(incident)
    else:
        context = _context(user, incident)
        context["close_form"] = CloseForm(initial=_typed(request, incident, context["answer"].text))
        context |= forms or {}
        context["overlap"] = _overlap(request, context)
    only = request.GET.get("only", "")
    came_from = listed(request)
    context |= {
        "listed": came_from.named() if came_from else "",
        "refusal": refusal,
        "once": secrets.token_hex(16),
        "only": only if only in ONLY else "all",
    }
    template = "incidents/_incident.html" if getattr(request, "htmx", False) else "incidents/incident.html"
    return render(request, template, context, status=status)


def _typed(request: HttpRequest, incident: Incident, answer: str) -> dict[str, Any]:
    """What the closing form begins with: the answer, and what was typed before the text was kept."""
    typed = request.session.pop("typed", None) if "typed" in request.session else None
    kept = typed if typed and typed.get("incident") == incident.pk else {}
    return {**kept, "version": incident.version, "answer": answer}


def _overlap(request: HttpRequest, context: Mapping[str, Any]) -> Sequence[Piece]:
    """What differs between the kept answer and a refused one that was written on an older state."""
    form, answer = context["close_form"], context["answer"]
    if whole(request.POST.get("base", "")) in (None, answer.number):
        return ()
    mine = form["answer"].value() or ""
    return differences.of_texts(answer.text, mine) if mine != answer.text else ()


def _veiled(incident: Incident) -> dict[str, Any]:
    """What the auditor of a pass sees: what was said and what was answered, and nothing that was decided."""
    latest = investigations.latest(incident.pk)
    story = investigations.story(latest) if latest else None
    signals, older_signals = queries.signals(incident)
    return {
        "incident": incident,
        "is_veiled": True,
        "answers": story.answers if story else (),
        "identifiers": identifiers.lines(incident),
        "signals": signals,
        "older_signals": older_signals,
        "writes": (),
        "nav": "queue",
    }


def _context(user: User, incident: Incident) -> dict[str, Any]:
    latest = investigations.latest(incident.pk)
    story = investigations.story(latest) if latest else None
    signals, older_signals = queries.signals(incident)
    named = identifiers.lines(incident)
    before, later = queries.chain(user, incident)
    resolutions = queries.resolutions(incident)
    is_closed = incident.state == State.CLOSED
    ran = runstory.ran(latest) if latest else None
    is_live = incident.state in (State.OPEN, State.INVESTIGATING) and _is_running(story)
    draft = story.draft if story else ""
    answer = editing.answer(incident.pk, draft) if queries.has(incident, "edits") else Answer(draft, draft, 0)
    return {
        "incident": incident,
        "story": story,
        "headline": headline(incident, story),
        "cited": _cited(story),
        "refused_citations": [line for line in story.citations if not line.accepted] if story else [],
        "identifiers": named,
        "identifiers_seen": identifiers.last_seen(named),
        "signals": signals,
        "older_signals": older_signals,
        "before": before,
        "later": later,
        "earlier_resolutions": resolutions[1:] if is_closed else resolutions,
        **_ending(resolutions[0] if resolutions and is_closed else None, answer),
        "timeline": queries.timeline(incident.pk, signals),
        **issues.shown(incident),
        "notes": queries.notes(incident),
        "is_answered": thread.is_answered(),
        "thread": thread.lines(incident) if queries.has(incident, "questions") else [],
        "is_closed": is_closed,
        "can_look_again": incident.state == State.REVIEW and user.has_perm(Permission.TRIAGE_INCIDENTS),
        "can_move": user.has_perm(Permission.TRIAGE_INCIDENTS),
        "answer": answer,
        "answer_pieces": differences.of_texts(answer.original, answer.text) if answer.edit else (),
        "reopen_form": ReopenForm(initial={"version": incident.version}),
        "is_live": is_live,
        "beside": beside.of_verdict(story.verdict.id) if story and story.verdict else None,
        "ran": ran,
        "run_live": thread.live(watching.of_run(ran.investigation)) if ran and is_live else None,
        "read_at": timezone.now(),
        "nav": "queue",
    }


def _ending(resolution: Resolution | None, answer: Answer) -> dict[str, Any]:
    """The last closing of a closed incident, and what was sent otherwise than drafted."""
    if resolution is None or not resolution.answer or resolution.answer == answer.original:
        return {"resolution": resolution}
    return {"resolution": resolution, "sent_pieces": differences.of_texts(answer.original, resolution.answer)}


def _cited(story: Story | None) -> frozenset[int]:
    """The entries that the draft may link to: those that belong to the judged case."""
    if story is None:
        return frozenset()
    return frozenset(part.entry for part in story.segments if part.entry is not None and part.verified)


def _is_running(story: Story | None) -> bool:
    return story is not None and story.state in OPEN
