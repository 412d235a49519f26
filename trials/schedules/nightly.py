"""The nightly evaluation, one run a step, so that an incident that comes in waits for one run at the most."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Sum

from investigations import endpoints, probing, rulebook
from investigations.named import Endpoint
from investigations.talk import EndpointRefused
from trials import queries
from trials.evaluating import cases, driving, planning
from trials.evaluating.driving import BeingRun, Stand
from trials.evaluating.planning import Wanted
from trials.evaluating.sets import SetUnknown, chosen
from trials.models import EvaluationRun, ScheduledTrial
from trials.schedules.due import Ended, Skipped
from trials.schedules.money import cap_of
from trials.states import RunState, Stopped

BY = "schedule:nightly"


def step(trial: ScheduledTrial, given: Mapping[str, Any]) -> str | None:
    """Plan it, or make one of its runs; return how it went once all are made. Raises Skipped and Ended."""
    if trial.evaluation_id is None:
        _begin(trial, given)
        return None
    number = trial.evaluation_id
    try:
        with driving.driven(number):
            _make_one(number)
            now = driving.stand(number)
    except BeingRun as held:
        raise Ended(str(held)) from None
    if now.stopped:
        raise (Skipped if not now.done else Ended)(_how_far(now))
    return None if now.unfinished else _summary(number)


def _begin(trial: ScheduledTrial, given: Mapping[str, Any]) -> None:
    if not given["set"]:
        raise Skipped("TRIAL_NIGHTLY_SET names no set of cases, such as closed:most=20.")
    try:
        place = endpoints.endpoint_named(given["endpoint"])
        cap = cap_of(given["cap"], place, variable="TRIAL_NIGHTLY_CAP")
        book = rulebook.current_rulebook()
        found = cases.find(chosen(given["set"]), book)
    except (SetUnknown, EndpointRefused) as error:
        raise Skipped(str(error)) from None
    if not found.cases:
        raise Skipped(f"The set {given['set']!r} holds no case that can be run.")
    if silence := probing.silence(place.name):
        raise Skipped(f"The endpoint {place.name} gives no reply: {silence}")
    _plan(trial, _wanted(given, place, cap), found)


def _wanted(given: Mapping[str, Any], place: Endpoint, cap: int | None) -> Wanted:
    return Wanted(given["set"], place.name, given["runs"], cap_micros=cap, asked_by=BY)


def _plan(trial: ScheduledTrial, wanted: Wanted, found: cases.Found) -> None:
    # In one transaction: a kill in between would leave an evaluation that no night knows of.
    with transaction.atomic():
        made, _ = planning.planned(wanted, found, rulebook.current_rulebook(), anew=True)
        ScheduledTrial.objects.filter(pk=trial.pk).update(evaluation=made)


def _make_one(number: int) -> None:
    """Make a run that was not made yet; else try one again that the endpoint was silent for."""
    waiting = driving.to_make(number, RunState.WAITING, RunState.RUNNING) or driving.to_make(
        number, RunState.DOWN
    )
    if not waiting:
        return
    if driving.made(waiting[0][0]) is None and not driving.stand(number).stopped:
        raise Ended("A run of it is being made by somebody else.")
    silent = EvaluationRun.objects.filter(evaluation=number, state=RunState.DOWN).aggregate(of=Sum("attempt"))
    if (silent["of"] or 0) >= driving.DOWN_IN_A_ROW:
        driving.stop(number, Stopped.DOWN, f"The endpoint gave no reply {silent['of']} times this night.")


def _how_far(now: Stand) -> str:
    return f"{now.note} {now.done} of {now.planned} runs are done."


def _summary(number: int) -> str:
    found = queries.measured(number)
    agreed, wrong = found.after.agreed, found.after.false_passes
    return (
        f"{found.states[RunState.DONE]} runs of {found.cases} cases: {agreed.hits} of {agreed.of} verdicts "
        f"as it really was, {wrong.hits} false passes."
    )
