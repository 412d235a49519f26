"""Audits of passes: what I have to check, and one of them: the evidence, without verdict and draft."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from assay_core.numbers import MAX_ID
from incidents import identifiers, queries, selfclosing
from incidents.figures import audits
from incidents.figures.audits import AuditRefused
from incidents.models import PassAudit
from investigations.models import Verdict
from toolbox import gateway
from toolbox.called import Called
from verdicts.closings import TABLE, Actual

_SHOWN = 50


@require_safe
@never_cache
@requires(Permission.TRIAGE_INCIDENTS)
def show_all(request: HttpRequest) -> HttpResponse:
    """What this person has to check, what nobody has or is late, and what they have answered."""
    user, now = person(request), timezone.now()
    seen = PassAudit.objects.filter(incident__in=queries.visible_incidents(user)).select_related(
        "incident", "reviewer"
    )
    mine = seen.filter(reviewer=user)
    free = Q(reviewer=None) | Q(due_at__lt=now)
    others = seen.filter(free, answered_at=None).exclude(reviewer=user).exclude(closer=user)
    context = {
        "mine": mine.filter(answered_at=None).order_by("due_at")[:_SHOWN],
        "free": others.order_by("due_at")[:_SHOWN],
        "done": mine.exclude(answered_at=None).order_by("-answered_at")[:_SHOWN],
        "now": now,
        "nav": "audits",
    }
    return render(request, "incidents/audits.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@requires(Permission.TRIAGE_INCIDENTS)
def show(request: HttpRequest, number: int) -> HttpResponse:
    """The evidence of one pass for its reviewer; POST takes the answer. 404 for everybody else."""
    user = person(request)
    row = _seen(request, number)
    if row.reviewer_id != user.pk:
        raise Http404(f"There is no audit {number} of yours.")
    if request.method != "POST":
        return _page(request, row)
    posted = {"outcome": request.POST.get("outcome", ""), "because": request.POST.get("because", "")}
    try:
        done = selfclosing.answer(number, by=user, now=timezone.now(), **posted)
    except AuditRefused as refusal:
        return _page(request, row, refusal=str(refusal), posted=posted, status=422)
    said = {True: "The pass was right.", False: "That was a false pass.", None: "It counts neither way."}
    messages.success(request, f"Your answer is kept. {said[done.was_right]}")
    return redirect("pass_audit", number)


@require_POST
@requires(Permission.TRIAGE_INCIDENTS)
def take(request: HttpRequest, number: int) -> HttpResponse:
    """Take over an audit that nobody has, or that is overdue."""
    _seen(request, number)
    try:
        audits.take(number, by=person(request), now=timezone.now())
    except AuditRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("pass_audits")
    return redirect("pass_audit", number)


def _answers(row: PassAudit) -> Sequence[tuple[Called, object]]:
    """Every recorded answer of the judged run with the copy of its result that readers see."""
    run = Verdict.objects.values_list("investigation_id", flat=True).get(pk=row.verdict_id)
    return [(called, gateway.shown(called).value) for called in gateway.entries_of_run(run)]


def _seen(request: HttpRequest, number: int) -> PassAudit:
    row = (
        PassAudit.objects.select_related("incident", "incident__source")
        .filter(pk=min(number, MAX_ID))
        .first()
    )
    if row is None or not queries.can_see(person(request), row.incident_id):
        raise Http404(f"There is no audit {number}, or its incident belongs to another team.")
    return row


def _page(
    request: HttpRequest,
    row: PassAudit,
    *,
    refusal: str = "",
    posted: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    signals, older = queries.signals(row.incident)
    context: dict[str, Any] = {
        "audit": row,
        "incident": row.incident,
        "identifiers": identifiers.lines(row.incident),
        "signals": signals,
        "older_signals": older,
        "answers": _answers(row),
        "outcomes": [word for word, said in TABLE[row.incident.kind].items() if said is not Actual.AS_TARGET],
        "refusal": refusal,
        "posted": posted or {},
        "now": timezone.now(),
        "nav": "audits",
    }
    return render(request, "incidents/audit.html", context, status=status)
