"""The approvals queue, the page of one request, and its gates as they would answer now."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts import stepup
from accounts.access import person, requires, stepup_address
from accounts.permissions import Permission
from approvals import looking, services, showing
from approvals.actions import registry
from approvals.doors import note_refusal
from approvals.forms import DecisionForm
from approvals.models import ActionRequest


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show_all(request: HttpRequest) -> HttpResponse:
    """The requests of one shelf: those that wait, by their end; history, the newest first."""
    user, now = person(request), timezone.now()
    want = looking.wanted(request.GET.dict())
    listed = looking.listed(user, want)
    context = {
        "want": want,
        "listed": listed,
        "rows": [(row, showing.title_of(row.action)) for row in listed.rows],
        "shelves": looking.shelves(user),
        "states": looking.states_of(want.tab),
        "actions": sorted(registry.current().actions),
        "now": now,
        "here": "requests",
        **common(request),
    }
    template = "approvals/_requests.html" if getattr(request, "htmx", False) else "approvals/requests.html"
    return render(request, template, context)


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest, number: int) -> HttpResponse:
    """The page of one request; 404 where it is another team's."""
    return page(request, found(request, number))


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def gates(request: HttpRequest, number: int) -> HttpResponse:
    """What each gate would answer now. Targets and tools are asked, so that this stands beside the page."""
    asked = found(request, number)
    said = services.gates_now(asked, timezone.now()) if asked.digest else ()
    context = {"asked": asked, "said": said, "read_at": timezone.now(), "nav": "approvals"}
    template = "approvals/_gates.html" if getattr(request, "htmx", False) else "approvals/gates.html"
    return render(request, template, context)


def found(request: HttpRequest, number: int) -> ActionRequest:
    """Return the request or raise Http404: one of another team looks like one that is not there."""
    asked = looking.visible(person(request)).filter(pk=number).first()
    if asked is None:
        if request.method == "POST":
            note_refusal(request, "the request is not there, or belongs to another team")
        raise Http404(f"There is no request {number}, or it belongs to another team.")
    return asked


def page(
    request: HttpRequest, asked: ActionRequest, *, refusal: str = "", status: int = 200, **forms: Any
) -> HttpResponse:
    """Render the page, with what was refused and the forms as they were filled in where there are some."""
    user, now = person(request), timezone.now()
    looking.looked(asked, user, now)
    proof = stepup.recent(request, now)
    risk = showing.asks_of(asked)
    record = showing.record(asked)
    context = {
        "asked": asked,
        "title": showing.title_of(asked.action),
        "body": showing.asked_for(asked),
        "evidence": showing.evidence(asked),
        "may": showing.may(user, asked, proof, now),
        "record": record,
        "risk": risk,
        "approvals": showing.given(record.decisions),
        "proof": proof,
        "proof_address": stepup_address(f"/approvals/{asked.pk}/#decide", is_strong=risk.strong_step_up),
        "form": DecisionForm(initial={"digest": asked.digest}),
        "editable": showing.editable(asked),
        "refusal": refusal,
        "now": now,
        **common(request),
        **forms,
    }
    return render(request, "approvals/request.html", context, status=status)


def common(request: HttpRequest) -> dict[str, Any]:
    """Return what every page of approvals says: where one is, and what stands in the way of all writes."""
    now = timezone.now()
    return {
        "nav": "approvals",
        "weather": looking.weather(now),
        "waiting": looking.waiting(person(request), now),
    }
