"""How each endpoint has scored over time: evaluations by verdicts, runs of drills by labels."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.db.models import Count, F, Q, QuerySet
from django.urls import reverse

from incidents.figures.intervals import Interval, Rate, clopper_pearson, percent
from investigations.states import RunResult
from trials.charts import Score, ScoreChart, scores
from trials.drills.listing import open_runs
from trials.evaluating.measuring import over_cases
from trials.models import Drill, DrillRow, DrillRun, Evaluation, EvaluationCase, GoldenRow
from trials.states import RunState
from verdicts.closings import Actual

Row = TypeVar("Row")
Kind = TypeVar("Kind", Evaluation, DrillRun)
_MOST = 24  # of one endpoint


@dataclass(frozen=True, slots=True)
class Line:
    """One score in a table. `false_passes` counts verdicts, or labels that end an issue wrongly."""

    id: int
    name: str
    href: str
    at: datetime
    model: str
    rate: Rate
    interval: Interval | None
    false_passes: int | None = None

    @property
    def span(self) -> str:
        """The interval in words; empty where there are too few cases for one."""
        found = self.interval
        return f"{percent(found.low)} to {percent(found.high)}" if found else ""


@dataclass(frozen=True, slots=True)
class History:
    """The scores of one endpoint, the newest first, with their chart."""

    endpoint: str
    lines: Sequence[Line]
    chart: ScoreChart


def of_evaluations(endpoint: str = "", *, without: Collection[int] = ()) -> list[History]:
    """Return, for each endpoint or for one, how its verdicts agreed with what really was so.

    The cases of the incidents `without` are counted in none.
    """
    finished = _of(endpoint, Evaluation.objects.exclude(finished_at=None).order_by("-pk"))
    found = _newest((row.endpoint, row) for row in finished)
    chosen = [row for rows in found.values() for row in rows]
    counted = _verdicts([row.pk for row in chosen], without)
    return [
        _history(name, [line for row in rows if (line := _evaluated(row, counted[row.pk]))])
        for name, rows in found.items()
    ]


def of_drills(endpoint: str = "", *, without: Collection[int] = ()) -> list[History]:
    """Return, for each endpoint or for one, how its labels agreed with the golden ones, in open runs.

    Golden rows of the incidents `without` are counted in none.
    """
    finished = _of(endpoint, open_runs().order_by("-started_at", "-pk"))
    found = _newest((run.endpoint, run) for run in finished)
    runs = [run.pk for rows in found.values() for run in rows]
    counts = _labels(runs, without)
    seen = _drills_of(runs)
    return [
        _history(
            name,
            [
                Line(
                    id=run.pk,
                    name=f"drill {seen[run.pk]}",
                    href=reverse("drill", args=[seen[run.pk]]),
                    at=run.started_at,
                    model=run.model,
                    rate=counts[run.pk],
                    interval=clopper_pearson(counts[run.pk].hits, counts[run.pk].of),
                )
                for run in rows
                if run.pk in counts
            ],
        )
        for name, rows in found.items()
    ]


def _of(endpoint: str, rows: QuerySet[Kind]) -> QuerySet[Kind]:
    return (rows.filter(endpoint=endpoint) if endpoint else rows)[:200]


def _newest(named: Iterable[tuple[str, Row]]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for endpoint, row in named:
        if len(found[endpoint]) < _MOST:
            found[endpoint].append(row)
    return found


def _verdicts(numbers: Sequence[int], without: Collection[int]) -> dict[int, list[tuple[int, int, int]]]:
    """Return each evaluation's cases that can be compared: verdicts, those that are right, false passes."""
    done = Q(runs__state=RunState.DONE)
    passed, failed = done & Q(runs__passed=True), done & Q(runs__passed=False)
    rows = (
        EvaluationCase.objects.filter(
            evaluation__in=numbers, is_twin=False, erased=0, actual__in=[Actual.PASS, Actual.FAIL]
        )
        .exclude(incident_id__in=without)
        .annotate(passes=Count("runs", filter=passed), fails=Count("runs", filter=failed))
        .values_list("evaluation", "actual", "passes", "fails")
    )
    found: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for number, actual, passes, fails in rows:
        is_pass = actual == Actual.PASS
        found[number].append((passes + fails, passes if is_pass else fails, 0 if is_pass else passes))
    return found


def _evaluated(row: Evaluation, cases: Sequence[tuple[int, int, int]]) -> Line | None:
    said = [each for each in cases if each[0]]
    if not said:
        return None
    return Line(
        id=row.pk,
        name=f"evaluation {row.pk}",
        href=reverse("evaluation", args=[row.pk]),
        at=row.created_at,
        model=row.model,
        rate=Rate(sum(right for _, right, _ in said), sum(of for of, _, _ in said)),
        interval=over_cases([right / of for of, right, _ in said]),
        false_passes=sum(wrong for *_, wrong in said),
    )


def _labels(runs: Sequence[int], without: Collection[int]) -> dict[int, Rate]:
    rows = (
        DrillRow.objects.filter(run__in=runs, time=1)
        .exclude(status=RunResult.ENDPOINT_DOWN)
        .exclude(row_id__in=GoldenRow.objects.filter(incident_id__in=without).values("row_id"))
        .values("run")
        .annotate(of=Count("pk"), right=Count("pk", filter=Q(got=F("expected")) & ~Q(got="")))
        .order_by()
    )
    return {row["run"]: Rate(row["right"], row["of"]) for row in rows}


def _drills_of(runs: Sequence[int]) -> dict[int, int]:
    """Return the newest drill of each run that everybody has read."""
    found: dict[int, int] = {}
    read = Drill.objects.exclude(unlocked_at=None).filter(Q(candidate__in=runs) | Q(baseline__in=runs))
    for number, candidate, baseline in read.order_by("pk").values_list("pk", "candidate", "baseline"):
        found[candidate] = found[baseline] = number
    return found


def _history(endpoint: str, lines: Sequence[Line]) -> History:
    drawn = [
        Score(line.at, line.rate.hits / line.rate.of, line.interval, _words(line), line.href)
        for line in reversed(lines)
    ]
    return History(endpoint, lines, scores(drawn))


def _words(line: Line) -> str:
    told = f", {line.span} at 95 %" if line.span else ""
    return f"{line.name}: {line.rate.hits} of {line.rate.of}{told}"
