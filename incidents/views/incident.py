"""The incident page: the verdict in words, the draft beside its evidence, and what was done."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person, requires
from accounts.models import User
from accounts.permissions import Permission
from incidents import identifiers, queries, thread
from incidents.forms import CloseForm, ReopenForm
from incidents.models import Incident
from incidents.states import State
from incidents.wording import headline
from investigations import beside, runstory, watching
from investigations import queries as investigations
from investigations.queries import Story


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest, number: int) -> HttpResponse:
    """The page of one incident; 404 where it is another team's."""
    incident = found(request, number)
    return page(request, incident)


def found(request: HttpRequest, number: int) -> Incident:
    """Return the incident or raise Http404: one of another team looks like one that is not there."""
    incident = queries.incident(person(request), number)
    if incident is None:
        raise Http404(f"There is no incident {number}, or it belongs to another team.")
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
    context = {**_context(person(request), incident), **(forms or {}), "refusal": refusal}
    template = "incidents/_incident.html" if getattr(request, "htmx", False) else "incidents/incident.html"
    return render(request, template, context, status=status)


def _context(user: User, incident: Incident) -> dict[str, Any]:
    latest = investigations.latest(incident.pk)
    story = investigations.story(latest) if latest else None
    signals, older_signals = queries.signals(incident)
    before, later = queries.chain(user, incident)
    resolutions = queries.resolutions(incident)
    is_closed = incident.state == State.CLOSED
    ran = runstory.ran(latest) if latest else None
    is_live = incident.state in (State.OPEN, State.INVESTIGATING) and _is_running(story)
    return {
        "incident": incident,
        "story": story,
        "headline": headline(incident, story),
        "cited": _cited(story),
        "refused_citations": [line for line in story.citations if not line.accepted] if story else [],
        "identifiers": identifiers.lines(incident),
        "signals": signals,
        "older_signals": older_signals,
        "before": before,
        "later": later,
        "resolution": resolutions[0] if resolutions and is_closed else None,
        "earlier_resolutions": resolutions[1:] if is_closed else resolutions,
        "timeline": queries.timeline(incident.pk),
        "thread": thread.lines(incident),
        "is_closed": is_closed,
        "can_look_again": incident.state == State.REVIEW and user.has_perm(Permission.TRIAGE_INCIDENTS),
        "can_move": user.has_perm(Permission.TRIAGE_INCIDENTS),
        "close_form": CloseForm(
            initial={"version": incident.version, "answer": story.draft if story else ""}
        ),
        "reopen_form": ReopenForm(initial={"version": incident.version}),
        "is_live": is_live,
        "beside": beside.of_verdict(story.verdict.id) if story and story.verdict else None,
        "ran": ran,
        "run_live": thread.live(watching.of_run(ran.investigation)) if ran and is_live else None,
        "read_at": timezone.now(),
        "nav": "queue",
    }


def _cited(story: Story | None) -> frozenset[int]:
    """The entries that the draft may link to: those that belong to the judged case."""
    if story is None:
        return frozenset()
    return frozenset(part.entry for part in story.segments if part.entry is not None and part.verified)


def _is_running(story: Story | None) -> bool:
    return story is not None and story.state in ("waiting", "queued", "running")
