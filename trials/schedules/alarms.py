"""The alarm of scheduled trials: valid however often one looks, and one incident for as long as it is open.

A fixed test repeated each night cries wolf sooner or later. This one watches an e-value (trials.statistics):
that it ever reaches 1/alpha while the true rate is at its limit has at most the chance alpha. What is watched
of one schedule shares LEVEL. Counted is what is of the same setup, since the quarter began or since the last
alarm's incident was closed: good nights of long ago would hide a bad month.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Q

from incidents import intake
from incidents.adapters.schedule import Alarm
from incidents.figures.intervals import Rate
from incidents.models import Incident
from incidents.states import State
from investigations.classification import contract
from trials import statistics
from trials.drills import booking, deciding
from trials.models import EvaluationRun, ScheduledTrial, TrialAlarm
from trials.schedules.due import quarter_of
from trials.states import RunState, Schedule
from verdicts.closings import Actual

LEVEL = 0.05
_ALPHA = LEVEL / 2  # of each of the two rates that are watched of a schedule
_SETUP = ("chosen", "endpoint", "model", "prompt_digest", "contract_digest", "rulebook_digest")
_RUN_SETUP = ("endpoint", "model", "golden_digest", "contract_digest", "prompt_digest", "rules_digest")


@dataclass(frozen=True, slots=True)
class Watched:
    """One rate of a schedule: what is counted, in words, and the limit that a setting has for it."""

    name: str
    words: str
    variable: str
    limit: float


def is_alarming(rate: Rate, limit: float) -> bool:
    """Whether a rate is above its limit, at a level that holds however often this is asked."""
    return statistics.is_above_at_any_time(rate.hits, rate.of, limit, alpha=_ALPHA)


def look(trial: ScheduledTrial, given: Mapping[str, Any], now: datetime) -> list[TrialAlarm]:
    """Raise an alarm for each rate that is above its limit and has none open; return those raised."""
    endpoint = _endpoint(trial)
    if not endpoint:
        return []
    raised = []
    for watched in _watched(trial, given):
        key = f"trials:{trial.schedule}:{watched.name}:{endpoint}"
        since = _counted_since(key, now)
        if since is None:
            continue
        rate = _counted(trial, watched.name, since)
        if is_alarming(rate, watched.limit):
            raised.append(_raise(trial, key, _Seen(watched, rate, since, endpoint), now))
    return raised


def _watched(trial: ScheduledTrial, given: Mapping[str, Any]) -> Iterator[Watched]:
    is_nightly = trial.schedule == Schedule.NIGHTLY
    prefix = "TRIAL_NIGHTLY" if is_nightly else "DRILL_WEEKLY"
    what = "verdicts that are not what really was so" if is_nightly else "labels that are not the golden ones"
    wrongly = "passes of what was real" if is_nightly else "labels that end an issue wrongly"
    yield Watched("wrong", what, f"{prefix}_WRONG", float(given["wrong"]))
    yield Watched("false_passes", wrongly, f"{prefix}_FALSE_PASSES", float(given["false_passes"]))


def _endpoint(trial: ScheduledTrial) -> str:
    if trial.schedule == Schedule.NIGHTLY:
        return trial.evaluation.endpoint if trial.evaluation else ""
    return trial.run.endpoint if trial.run else ""


def _counted_since(key: str, now: datetime) -> datetime | None:
    """Return from when on trials count; None while the last alarm's incident is open, or not made yet."""
    last = TrialAlarm.objects.filter(key=key).first()
    if last is None:
        return quarter_of(now)
    incident = Incident.objects.filter(source__slug="schedule", sender_key=key).order_by("-pk").first()
    is_closed = incident is not None and incident.state == State.CLOSED
    if incident is None or not is_closed or incident.closed_at is None or incident.closed_at < last.raised_at:
        return None
    return max(quarter_of(now), incident.closed_at)


def _counted(trial: ScheduledTrial, name: str, since: datetime) -> Rate:
    trials = ScheduledTrial.objects.filter(schedule=trial.schedule, created_at__gte=since)
    if trial.evaluation is not None:
        same = {f"evaluation__{each}": getattr(trial.evaluation, each) for each in _SETUP}
        return _of_evaluations([each.evaluation_id for each in trials.filter(**same)], name)
    same = {f"run__{each}": getattr(trial.run, each) for each in _RUN_SETUP}
    return _of_runs(trials.filter(**same).select_related("run"), name)


def _of_evaluations(numbers: list[int | None], name: str) -> Rate:
    false_pass = Q(passed=True, case__actual=Actual.FAIL)
    wrong = false_pass | Q(passed=False, case__actual=Actual.PASS)
    counted = EvaluationRun.objects.filter(
        evaluation__in=numbers,
        state=RunState.DONE,
        passed__isnull=False,
        case__is_twin=False,
        case__erased=0,
        case__actual__in=[Actual.PASS, Actual.FAIL],
    ).aggregate(of=Count("pk"), wrong=Count("pk", filter=wrong), false=Count("pk", filter=false_pass))
    return Rate(counted["false" if name == "false_passes" else "wrong"], counted["of"])


def _of_runs(trials: Any, name: str) -> Rate:
    closing = deciding.policy_of(contract()).closing_labels
    answers = [
        answer
        for trial in trials
        if trial.run is not None and trial.run.finished_at is not None
        for answer in booking.answers_of(trial.run)
        if answer.counts
    ]
    is_false = name == "false_passes"
    hits = sum(each.is_false_pass(closing) if is_false else not each.agrees for each in answers)
    return Rate(hits, len(answers))


@dataclass(frozen=True, slots=True)
class _Seen:
    watched: Watched
    rate: Rate
    since: datetime
    endpoint: str


def _raise(trial: ScheduledTrial, key: str, seen: _Seen, now: datetime) -> TrialAlarm:
    with transaction.atomic():
        alarm = TrialAlarm.objects.create(
            key=key,
            trial=trial,
            hits=seen.rate.hits,
            of=seen.rate.of,
            limit=seen.watched.limit,
            raised_at=now,
        )
        intake.report_alarm(_told(trial, key, seen), now)
    return alarm


def _told(trial: ScheduledTrial, key: str, seen: _Seen) -> Alarm:
    watched, rate = seen.watched, seen.rate
    what = "nightly evaluation" if trial.schedule == Schedule.NIGHTLY else "weekly drill"
    summary = f"The {what} of {seen.endpoint} has more {watched.words} than its limit"
    return Alarm(key, trial.schedule, seen.endpoint, summary, f"{_figures(trial, seen, rate)} {_DO}")


_DO = (
    "This alarm is valid at any time: looking each day does not make it cry wolf. See what has changed (the "
    "model behind its name, prompts, tools, rules) and read the last runs; nothing is counted again before "
    "this incident is closed (docs/howto/schedule-trials.md)."
)


def _figures(trial: ScheduledTrial, seen: _Seen, rate: Rate) -> str:
    limit = f"{seen.watched.variable} allows {seen.watched.limit:g}."
    if trial.schedule == Schedule.WEEKLY:
        # A drill's figures are shown once each difference was read by a person: not here before that.
        drill = f" Read drill {trial.drill_id} first." if trial.drill_id else ""
        return f"{limit}{drill}"
    least = statistics.lowest_at_any_time(rate.hits, rate.of, alpha=_ALPHA)
    return (
        f"{rate.hits} of {rate.of} since {seen.since:%Y-%m-%d}, which is at least {least:.1%} at any time of "
        f"looking; {limit}"
    )
