"""The rulebook: every rule with how it fares, one rule with its checks, and what would flip today."""

import re
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from accounts.services import actor_name
from assay_core.numbers import MAX_ID
from incidents import rulebook_page, rulediff, rulefigures, selfclosing
from incidents.queries import visible_incidents
from incidents.rulefigures import Figures
from investigations import drift, suspensions
from investigations import rulebook as rulebooks
from investigations.suspensions import SuspensionRefused
from verdicts.load_check import LoadComplaint, load_complaints
from verdicts.rule import RuleSpec
from verdicts.rulebook import Rulebook

_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One rule as the list shows it. The counts of cases are None where they could not be read."""

    spec: RuleSpec
    earning: int | None
    failing: int | None
    is_suspended: bool
    figures: Figures


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show_all(request: HttpRequest) -> HttpResponse:
    """Each rule with its figures; the broken ones with their cure; what no rule covers."""
    book, now = rulebooks.current_rulebook(), timezone.now()
    counted = rulefigures.figures(now)
    raised = rulefigures.unruled(now, book.rules, visible_incidents(person(request)))
    lines = [_line(spec, book, counted.get(name, Figures())) for name, spec in sorted(book.rules.items())]
    context = {
        "lines": lines,
        "quiet": [line for line in lines if line.figures.quiet and not line.spec.retired],
        "complaints": [each for each in load_complaints(book) if each.rule],
        "proposed": [each for each in raised if each.proposed],
        "unruled": [each for each in raised if not each.proposed],
        "digest": book.digest,
        "nav": "rules",
    }
    return render(request, "incidents/rules.html", context)


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest, name: str) -> HttpResponse:
    """One rule: its checks with their source, its cases, its figures, what could not be answered."""
    return _page(request, name)


@require_POST
@requires(Permission.MANAGE_RULES)
def suspend(request: HttpRequest, name: str) -> HttpResponse:
    """Let a rule earn nothing from the next verdict on."""
    _known(name)
    because, actor = request.POST.get("because", ""), actor_name(person(request))
    try:
        suspensions.suspend(name, because=because, actor=actor, now=timezone.now())
    except SuspensionRefused as refusal:
        return _page(request, name, refusal=str(refusal), status=422)
    messages.success(request, f"{name} is suspended. It earns nothing from the next verdict on.")
    return redirect("rule", name)


@require_POST
@requires(Permission.MANAGE_RULES)
def lift(request: HttpRequest, name: str) -> HttpResponse:
    """Let a suspended rule earn again."""
    _known(name)
    try:
        suspensions.lift(
            name, because=request.POST.get("because", ""), by=person(request), now=timezone.now()
        )
    except SuspensionRefused as refusal:
        return _page(request, name, refusal=str(refusal), status=422)
    messages.success(request, f"{name} is in force again, from the next verdict on.")
    return redirect("rule", name)


@require_POST
@requires(Permission.MANAGE_RULES)
def let_close(request: HttpRequest, name: str) -> HttpResponse:
    """Let passes of the rule's present version close by themselves, from the next verdict on."""
    _known(name)
    try:
        leave = selfclosing.allow(
            name, because=request.POST.get("because", ""), by=person(request), now=timezone.now()
        )
    except selfclosing.LeaveRefused as refusal:
        return _page(request, name, refusal=str(refusal), status=422)
    messages.success(request, f"Passes of version {leave.rule_version} of {name} close by themselves now.")
    return redirect("rule", name)


@require_POST
@requires(Permission.MANAGE_RULES)
def keep_open(request: HttpRequest, name: str) -> HttpResponse:
    """Leave the closing of the rule's passes to people again."""
    _known(name)
    try:
        selfclosing.end(name, because=request.POST.get("because", ""), by=person(request), now=timezone.now())
    except selfclosing.LeaveRefused as refusal:
        return _page(request, name, refusal=str(refusal), status=422)
    messages.success(request, f"People close the passes of {name} again.")
    return redirect("rule", name)


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show_diff(request: HttpRequest) -> HttpResponse:
    """The last verdicts judged again by the rules now loaded: what would be another today."""
    asked = request.GET.get("before", "")
    before = int(asked) if _NUMBER.fullmatch(asked) else None
    book = rulebooks.current_rulebook()
    found = rulediff.diff(person(request), book, before=before if before is None else min(before, MAX_ID))
    context = {"diff": found, "digest": book.digest, "before": before, "nav": "rules"}
    return render(request, "incidents/rulediff.html", context)


def _page(request: HttpRequest, name: str, *, refusal: str = "", status: int = 200) -> HttpResponse:
    book, complaint, now = rulebooks.current_rulebook(), _known(name), timezone.now()
    spec = None if name in book.broken else book.rules.get(name)
    days = drift.by_day(name, now=now)
    context = {
        "name": name,
        "spec": spec,
        "complaint": complaint,
        "suspension": suspensions.standing(name),
        "suspensions": suspensions.history(name),
        "leave": selfclosing.standing(name),
        "leaves": selfclosing.history(name),
        "figures": rulefigures.figures(now, only=name).get(name, Figures()),
        "checks": rulebook_page.checks(spec) if spec else (),
        "refutations": rulebook_page.refutations(spec) if spec else (),
        "cases": rulebook_page.cases(spec) if spec else (),
        "digest": book.rule_digest(name) if spec else "",
        "days": days,
        "bars": rulebook_page.bars(days, now),
        "shown_days": drift.SHOWN_DAYS,
        "can_manage": person(request).has_perm(Permission.MANAGE_RULES),
        "refusal": refusal,
        "nav": "rules",
    }
    return render(request, "incidents/rule.html", context, status=status)


def _known(name: str) -> LoadComplaint | None:
    """Return what is wrong with a rule; raise Http404 for a name that neither rule nor suspension has."""
    book = rulebooks.current_rulebook()
    complaint = next((each for each in load_complaints(book) if each.rule == name), None)
    if complaint is None and name not in book.rules:
        raise Http404(f"There is no rule {name}.")
    return complaint


def _line(spec: RuleSpec, book: Rulebook, figures: Figures) -> RuleLine:
    told = rulebook_page.cases(spec)
    earning = sum(case.passes for case in told)
    return RuleLine(
        spec,
        earning if told else None,
        len(told) - earning if told else None,
        spec.name in book.suspended,
        figures,
    )
