"""One evaluation: its false passes, its measures beside what it has to beat, its runs; and its files."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from incidents.figures.intervals import Interval, Rate
from investigations import spending
from trials import files, queries, veiled
from trials.evaluating.scores import Agreement, Facts, Measures
from trials.models import Evaluation, EvaluationRun
from trials.queries import CaseLine, NoSuchEvaluation
from trials.states import RunState
from verdicts.closings import Actual

_KINDS = {"csv": "text/csv", "json": "application/json"}
_SHOWN = 200


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def show(request: HttpRequest, number: int) -> HttpResponse:
    """Its measures as they stand, and its cases with their runs."""
    row = found(number)
    kept = veiled.kept_from(person(request))
    measured, every = queries.measured(row.pk, without=kept), queries.by_case(row.pk)
    cases = [line for line in every if line.case.incident_id not in kept]
    context = {
        "evaluation": row,
        "measures": measured,
        "false_passes": [run for case in cases for run in case.runs if _is_false_pass(case, run)],
        "columns": columns(measured),
        "cost": spending.money(measured.totals.micros),
        "cases": cases[:_SHOWN],
        "more": max(0, len(cases) - _SHOWN),
        "kept_back": len(every) - len(cases),
        "others": Evaluation.objects.exclude(pk=row.pk)[:30],
        "digests": {
            name: getattr(row, f"{name}_digest")
            for name in ("set", "prompt", "contract", "rulebook", "endpoint")
        },
        "nav": "trials",
    }
    return render(request, "trials/evaluation.html", context)


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def download(request: HttpRequest, number: int, form: str) -> HttpResponse:
    """Every run as CSV, or all measures as JSON."""
    row = found(number)
    if form not in _KINDS:
        raise Http404(f"There is no {form} of an evaluation. There are: {', '.join(_KINDS)}.")
    kept = veiled.kept_from(person(request))
    text = (files.as_csv if form == "csv" else files.as_json)(row.pk, without=kept)
    answer = HttpResponse(text, content_type=f"{_KINDS[form]}; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="evaluation-{row.pk}.{form}"'
    return answer


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def show_run(request: HttpRequest, number: int) -> HttpResponse:
    """What was said in one run, and what its calls were answered."""
    run = EvaluationRun.objects.select_related("case", "evaluation").filter(pk=number).first()
    if run is None:
        raise Http404(f"There is no run {number} of an evaluation.")
    if run.case.incident_id in veiled.kept_from(person(request)):
        raise PermissionDenied(veiled.answer_first(run.case.incident_id))
    context = {
        "run": run,
        "case": run.case,
        "evaluation": run.evaluation,
        "lacking": [fact for fact in run.case.needs if fact not in run.gathered],
        "said": queries.transcript(run.pk),
        "nav": "trials",
    }
    return render(request, "trials/run.html", context)


def found(number: int) -> Evaluation:
    """Return an evaluation. Raises Http404."""
    try:
        return queries.evaluation(number)
    except NoSuchEvaluation as error:
        raise Http404(str(error)) from None


def columns(measured: Measures) -> Sequence[dict[str, Any]]:
    """Return what stands beside one another: the agent, and what it has to beat."""
    beside = measured.beside
    return [
        _column("agent", measured.after, measured.facts, before=measured.before.agreed),
        _column("playbook", beside.playbook, beside.playbook_facts),
        _column(f"always {beside.constant_answer}", beside.constant),
        _column("title alone", beside.title),
        _column("at that time", beside.recorded),
    ]


def _column(
    name: str, verdicts: Agreement, facts: Facts | None = None, *, before: Rate | None = None
) -> dict[str, Any]:
    return {
        "name": name,
        "verdicts": verdicts,
        "span": _span(verdicts.interval),
        "before": before,
        "facts": facts,
        "facts_span": _span(facts.interval if facts else None),
    }


def _span(interval: Interval | None) -> str:
    return f"{interval.low:.0%} to {interval.high:.0%}" if interval else ""


def _is_false_pass(line: CaseLine, run: EvaluationRun) -> bool:
    case = line.case
    is_wrong = case.actual == Actual.FAIL and not case.erased and not case.is_twin
    return is_wrong and run.state == RunState.DONE and bool(run.passed)
