"""What Langfuse is told of an evaluation: items, and what came of each. Masked, and without transcripts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from django.conf import settings

from investigations import tracing
from investigations.models import Investigation
from toolbox import redaction
from trials.models import Evaluation, EvaluationCase, EvaluationRun
from trials.states import RunState
from verdicts.closings import Actual


@dataclass(frozen=True, slots=True)
class Item:
    """One case as an item of a dataset. `trace` is that of the investigation which it was recorded of."""

    id: str
    input: Mapping[str, Any]
    expected: Mapping[str, Any]
    about: Mapping[str, Any]
    trace: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What one run came to, and its scores by their names."""

    output: Mapping[str, Any]
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Repetition:
    """One experiment: a run of each case that has one, by the item's id."""

    name: str
    results: Mapping[str, Result]


@dataclass(frozen=True, slots=True)
class Told:
    """An evaluation as it is handed over. Its ids follow from it: sent again, it doubles nothing."""

    number: int
    dataset: str
    about: Mapping[str, Any]
    items: Sequence[Item]
    repetitions: Sequence[Repetition] = field(default_factory=tuple)


def told(evaluation: Evaluation) -> Told:
    """Return what is handed over of an evaluation. Outages are in no experiment, as in no score."""
    cases = list(EvaluationCase.objects.filter(evaluation=evaluation))
    dataset = f"assay {evaluation.set_digest[:12]}"
    traces = _traces(case.incident_id for case in cases if case.incident_id is not None)
    items = {case.pk: _item(case, dataset, traces.get(case.incident_id or 0)) for case in cases}
    return Told(
        number=evaluation.pk,
        dataset=dataset,
        about=_about(evaluation),
        items=list(items.values()),
        repetitions=[
            _repetition(evaluation, number, items, {case.pk: case for case in cases})
            for number in range(1, evaluation.runs + 1)
        ],
    )


def _about(evaluation: Evaluation) -> dict[str, Any]:
    digests = ("set", "prompt", "contract", "rulebook", "endpoint")
    return {
        "evaluation": evaluation.pk,
        "chosen": evaluation.chosen,
        "endpoint": evaluation.endpoint,
        "model": evaluation.model,
        **{f"{name}_digest": getattr(evaluation, f"{name}_digest")[:12] for name in digests},
    }


def _traces(incidents: Any) -> dict[int, str]:
    """Return the trace of each incident's last investigation, where spans are sent at all."""
    if not settings.TRACES_ARE_SENT:
        return {}
    rows = Investigation.objects.filter(incident_id__in=list(incidents)).order_by("pk")
    return {incident: tracing.trace_of(number) for number, incident in rows.values_list("pk", "incident_id")}


def _item(case: EvaluationCase, dataset: str, trace: str | None) -> Item:
    return Item(
        # An id is one in the whole project: the set's digest makes it this set's alone.
        id=f"assay-{sha256(f'{dataset}/{case.key}'.encode()).hexdigest()[:24]}",
        input={"case": case.key, "kind": case.kind, "title": redaction.text(case.title)},
        expected={"actual": case.actual, "rule": case.rule, "facts": sorted(case.needs)},
        about={
            "incident": case.incident_id,
            "is_twin": case.is_twin,
            "playbook_passed": case.playbook_passed,
        },
        trace=trace,
    )


def _repetition(
    evaluation: Evaluation, number: int, items: Mapping[int, Item], cases: Mapping[int, EvaluationCase]
) -> Repetition:
    rows = EvaluationRun.objects.filter(evaluation=evaluation, number=number, state=RunState.DONE)
    return Repetition(
        f"evaluation {evaluation.pk}, run {number} of {evaluation.runs}",
        {items[run.case_id].id: _result(run, cases[run.case_id]) for run in rows.order_by("case__position")},
    )


def _result(run: EvaluationRun, case: EvaluationCase) -> Result:
    output = {
        "outcome": run.outcome,
        "passed": run.passed,
        "passed_before": run.passed_before,
        "hypothesis": run.hypothesis,
        "facts": sorted(run.gathered),
    }
    scores = {
        "cost": run.micros / 1e6,
        "seconds": run.seconds,
        "tokens": float(run.tokens_in + run.tokens_out),
        "citations_missing": float(run.citations_missing),
    }
    if case.needs:
        scores["facts_gathered"] = len(set(case.needs) & set(run.gathered)) / len(set(case.needs))
    if run.passed is not None and case.actual in (Actual.PASS, Actual.FAIL) and not case.erased:
        scores["verdict_right"] = float(run.passed is (case.actual == Actual.PASS))
        scores["false_pass"] = float(run.passed and case.actual == Actual.FAIL)
    return Result(output, scores)
