"""What pages, files and commands read of evaluations: the list, one's measures, its runs by case, two beside
each other."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet

from trials.evaluating.measuring import measures
from trials.evaluating.scores import CaseRow, Measures, RunRow
from trials.models import Evaluation, EvaluationCase, EvaluationRun, EvaluationTranscript
from trials.states import RunState
from trials.statistics import Paired, mcnemar
from verdicts.closings import Actual

_RUN = tuple(field.name for field in fields(RunRow))


class NoSuchEvaluation(LookupError):
    """There is no evaluation of that number."""


@dataclass(frozen=True, slots=True)
class EvaluationLine:
    """One evaluation in a list."""

    id: int
    chosen: str
    endpoint: str
    model: str
    runs: int
    cases: int
    done: int
    planned: int
    stopped: str
    note: str
    spent_micros: int
    asked_by: str
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class CaseLine:
    """One case with its runs."""

    case: EvaluationCase
    runs: Sequence[EvaluationRun]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two evaluations beside each other. `by_fact` and `by_verdict` are McNemar's test over the cases that
    both hold, each case counted as its runs mostly went; `differ` names what was not the same for both."""

    first: Measures
    second: Measures
    differ: Sequence[str]
    cases: int
    by_facts: Paired
    by_verdict: Paired
    new_false_passes: Sequence[str]


def evaluations(*, endpoint: str = "", most: int = 100) -> list[EvaluationLine]:
    """Return evaluations, the newest first."""
    chosen = Evaluation.objects.filter(endpoint=endpoint) if endpoint else Evaluation.objects.all()
    rows = list(chosen.order_by("-pk")[:most])
    # Apart: joined, each case would stand beside each run.
    cases, runs = _counted(EvaluationCase.objects.all(), rows), _counted(EvaluationRun.objects.all(), rows)
    done = _counted(EvaluationRun.objects.filter(state=RunState.DONE), rows)
    return [
        EvaluationLine(
            id=row.pk,
            chosen=row.chosen,
            endpoint=row.endpoint,
            model=row.model,
            runs=row.runs,
            cases=cases.get(row.pk, 0),
            done=done.get(row.pk, 0),
            planned=runs.get(row.pk, 0),
            stopped=row.stopped,
            note=row.note,
            spent_micros=row.spent_micros,
            asked_by=row.asked_by,
            created_at=row.created_at,
            finished_at=row.finished_at,
        )
        for row in rows
    ]


def _counted(of: QuerySet[Any], chosen: Sequence[Evaluation]) -> dict[int, int]:
    """Return how many rows each evaluation has."""
    found = of.filter(evaluation__in=chosen).order_by().values_list("evaluation")
    return dict(found.annotate(count=Count("pk")))


def evaluation(number: int) -> Evaluation:
    """Return one evaluation. Raises NoSuchEvaluation."""
    found = Evaluation.objects.filter(pk=number).first()
    if found is None:
        raise NoSuchEvaluation(f"There is no evaluation {number}.")
    return found


def measured(number: int, *, without: Collection[int] = ()) -> Measures:
    """Return the measures of one evaluation as it stands, without the cases of some incidents.

    Raises NoSuchEvaluation.
    """
    evaluation(number)
    return measures(_cases(number, without), _runs(number, without))


def by_case(number: int) -> list[CaseLine]:
    """Return the cases of an evaluation in order, each with its runs. Raises NoSuchEvaluation."""
    evaluation(number)
    cases = EvaluationCase.objects.filter(evaluation=number).prefetch_related("runs")
    return [CaseLine(case, list(case.runs.all())) for case in cases]


def transcript(run: int) -> Mapping[str, Any] | None:
    """Return what was said in a run: its steps, and the answers to its calls; None where there is none."""
    body = EvaluationTranscript.objects.filter(run=run).values_list("body", flat=True).first()
    whole: dict[str, Any] | None = None if body is None else json.loads(body)
    return whole


def compared(first: int, second: int, *, without: Collection[int] = ()) -> Compared:
    """Return two evaluations beside each other, case by case, without the cases of some incidents.

    Raises NoSuchEvaluation.
    """
    one, other = evaluation(first), evaluation(second)
    names = ("set", "prompt", "contract", "rulebook", "endpoint")
    ours, theirs = _went(first, without), _went(second, without)
    both = sorted(ours.keys() & theirs.keys())
    return Compared(
        first=measured(first, without=without),
        second=measured(second, without=without),
        differ=[each for each in names if getattr(one, f"{each}_digest") != getattr(other, f"{each}_digest")],
        cases=len(both),
        by_facts=_paired([(ours[key].facts, theirs[key].facts) for key in both]),
        by_verdict=_paired([(ours[key].agrees, theirs[key].agrees) for key in both]),
        new_false_passes=[key for key in both if theirs[key].has_false_pass and not ours[key].has_false_pass],
    )


@dataclass(frozen=True, slots=True)
class _Went:
    """How the runs of one case mostly went; None where there is nothing to say."""

    facts: bool | None
    agrees: bool | None
    has_false_pass: bool


def _went(number: int, without: Collection[int]) -> dict[str, _Went]:
    made: dict[int, list[RunRow]] = {}
    for run in _runs(number, without):
        if run.state == RunState.DONE:
            made.setdefault(run.case, []).append(run)
    return {case.key: _of_case(case, made.get(case.id, ())) for case in _cases(number, without)}


def _of_case(case: CaseRow, runs: Sequence[RunRow]) -> _Went:
    whole = [case.needs <= run.gathered for run in runs] if case.needs else []
    said = [run.passed for run in runs if run.passed is not None] if case.is_compared else []
    right = [passed is (case.actual == Actual.PASS) for passed in said]
    is_fail = case.actual == Actual.FAIL
    return _Went(_mostly(whole), _mostly(right), has_false_pass=is_fail and any(said))


def _mostly(went: Sequence[bool]) -> bool | None:
    return sum(went) * 2 > len(went) if went else None


def _paired(rows: Sequence[tuple[bool | None, bool | None]]) -> Paired:
    known = [(one, other) for one, other in rows if one is not None and other is not None]
    return mcnemar(
        lost=sum(one and not other for one, other in known),
        gained=sum(other and not one for one, other in known),
    )


def _cases(number: int, without: Collection[int]) -> list[CaseRow]:
    return [
        CaseRow(
            id=row.pk,
            key=row.key,
            is_twin=row.is_twin,
            actual=row.actual,
            rule=row.rule,
            needs=frozenset(row.needs),
            erased=row.erased,
            recorded_passed=row.recorded_passed,
            playbook_passed=row.playbook_passed,
            playbook_gathered=frozenset(row.playbook_gathered),
            title_passed=row.title_passed,
        )
        for row in EvaluationCase.objects.filter(evaluation=number)
        if row.incident_id not in without
    ]


def _runs(number: int, without: Collection[int]) -> list[RunRow]:
    rows = EvaluationRun.objects.filter(evaluation=number)
    if without:
        rows = rows.exclude(case__in=EvaluationCase.objects.filter(incident_id__in=without))
    return [RunRow(**{**row, "gathered": frozenset(row["gathered"])}) for row in rows.values(*_RUN)]
