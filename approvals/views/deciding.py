"""What a person does with one request: decide, edit, withdraw, settle, roll back."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts import stepup
from accounts.access import person
from accounts.permissions import Permission
from approvals import looking, services
from approvals.doors import people_only, proved
from approvals.forms import BecauseForm, DecisionForm, EditForm, SettleForm
from approvals.models import ActionRequest, Decision
from approvals.outcomes import MoveRefused
from approvals.states import Choice, State
from approvals.views.requests import found, page

_MISSING = "Nothing was changed. See what is missing below."


@people_only(Permission.APPROVE_WRITES)
@require_POST
def decide(request: HttpRequest, number: int) -> HttpResponse:
    """Approve or deny exactly what the page showed."""
    asked, user, now = found(request, number), person(request), timezone.now()
    form = DecisionForm(request.POST)
    form.is_valid()
    given = form.cleaned_data
    try:
        # Whatever is missing is refused there, and on record.
        asked = services.decide(
            number,
            person=user,
            choice=given.get("choice", ""),
            reason=given.get("reason", ""),
            digest=given.get("digest", ""),
            stepup=stepup.recent(request, now),
            opened_at=looking.looked(asked, user, now),
            now=now,
        )
    except MoveRefused as refusal:
        if _is_on_record(asked, given.get("choice", ""), given.get("digest", ""), user.pk):
            return redirect("approval", number)
        return page(request, found(request, number), refusal=str(refusal), status=422, form=form)
    messages.success(request, _told(asked, given["choice"]))
    return redirect("approval", number)


@people_only(Permission.TRIAGE_INCIDENTS)
@require_POST
def edit(request: HttpRequest, number: int) -> HttpResponse:
    """File the same action with other arguments, as a new request that its editor cannot decide."""
    asked = found(request, number)
    form = EditForm(request.POST)
    if not form.is_valid():
        return page(request, asked, refusal=_MISSING, status=422, edit_form=form)
    try:
        made = services.edit(
            asked,
            form.cleaned_data["arguments"],
            by=person(request),
            why=form.cleaned_data["why"],
            now=timezone.now(),
        )
    except MoveRefused as refusal:
        return page(request, found(request, number), refusal=str(refusal), status=422, edit_form=form)
    messages.success(
        request, f"This replaces request {number}, which is withdrawn. Somebody else decides it."
    )
    return redirect("approval", made.pk)


@people_only(Permission.TRIAGE_INCIDENTS)
@require_POST
def withdraw(request: HttpRequest, number: int) -> HttpResponse:
    """Take a proposed request back."""

    def move(because: str) -> ActionRequest:
        return services.withdraw(number, by=person(request), because=because, now=timezone.now())

    return _with_reason(request, number, move, "Withdrawn.")


@people_only(Permission.APPROVE_WRITES)
@require_POST
@proved
def settle(request: HttpRequest, number: int) -> HttpResponse:
    """Say what became of a write whose outcome nobody knows."""
    asked = found(request, number)
    form = SettleForm(request.POST)
    if not form.is_valid():
        refusal = "Nothing was settled: choose what became of it, and say what you saw."
        return page(request, asked, refusal=refusal, status=422, settle_form=form)
    outcome, because = form.cleaned_data["outcome"], form.cleaned_data["because"]
    try:
        services.settle(number, outcome, person=person(request), because=because, now=timezone.now())
    except MoveRefused as refusal:
        return page(request, found(request, number), refusal=str(refusal), status=422, settle_form=form)
    messages.success(request, f"Settled as {outcome}. The target is free again.")
    return redirect("approval", number)


@people_only(Permission.APPROVE_WRITES)
@require_POST
@proved
def roll_back(request: HttpRequest, number: int) -> HttpResponse:
    """Have the rollback executed that was approved with this request."""

    def move(because: str) -> ActionRequest:
        return services.roll_back(number, person=person(request), because=because, now=timezone.now())

    return _with_reason(request, number, move, "The rollback is asked for. It passes the same gates.")


def _with_reason(
    request: HttpRequest, number: int, move: Callable[[str], ActionRequest], words: str
) -> HttpResponse:
    asked = found(request, number)
    form = BecauseForm(request.POST)
    if not form.is_valid():
        return page(request, asked, refusal="Nothing was changed: say why.", status=422)
    try:
        moved = move(form.cleaned_data["because"])
    except MoveRefused as refusal:
        return page(request, found(request, number), refusal=str(refusal), status=422)
    messages.success(request, words)
    return redirect("approval", moved.pk)


def _is_on_record(asked: ActionRequest, choice: str, digest: str, person_id: int) -> bool:
    """Whether this very decision was taken by the first of two clicks."""
    rows = Decision.objects.filter(request=asked, person_id=person_id, choice=choice, digest=digest)
    return rows.exists()


def _told(asked: ActionRequest, choice: str) -> str:
    if choice == Choice.DENY:
        return "Denied. It is not proposed again in the same run."
    if asked.state == State.APPROVED:
        return "Approved. It is executed once the gates let it through."
    return "Your approval is on record. Another person of another role has to approve it, too."
