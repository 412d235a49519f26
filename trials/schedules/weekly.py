"""The weekly drill: an endpoint over the golden set again, some rows a step, beside an earlier run."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from investigations import endpoints, probing
from investigations.classification import contract
from investigations.named import Endpoint
from investigations.talk import EndpointRefused
from trials.drills import baselines, deciding, running
from trials.drills.baselines import BaselineRefused
from trials.drills.plan import Plan
from trials.drills.policy import PolicyUnusable
from trials.drills.running import DrillCapped, DrillStopped, How
from trials.drills.spending import Spending
from trials.golden import opening
from trials.golden.opening import GoldenRefused
from trials.models import DrillRun, ScheduledTrial
from trials.schedules.due import Ended, Skipped
from trials.schedules.money import cap_of

BY = "schedule:weekly"
_STEP_SECONDS = 20.0  # that an incident which comes in may wait for its worker


class _Pause(Exception):
    """Enough rows for one step."""


def step(trial: ScheduledTrial, given: Mapping[str, Any]) -> str | None:
    """Ask some rows; return how it went once all are asked and compared. Raises Skipped and Ended."""
    plan, place, cap = _planned(given)
    if trial.run is None and (silence := probing.silence(place.name)):
        raise Skipped(f"The endpoint {place.name} gives no reply: {silence}")
    if trial.run is None or trial.run.finished_at is None:
        try:
            trial.run = running.run_through(plan, place, _how(trial, cap), by=BY)
        except _Pause:
            return None
        except DrillCapped as capped:
            raise Ended(f"DRILL_WEEKLY_CAP was reached: {capped}") from None
        except DrillStopped as error:
            raise Ended(str(error)) from None
        except OSError as error:
            raise Ended(f"DRILLS_FOLDER: the run's CSV cannot be written ({error}).") from None
        trial.save(update_fields=["run"])
    return _compared(trial, plan, given)


def _planned(given: Mapping[str, Any]) -> tuple[Plan, Endpoint, int | None]:
    if not given["golden"]:
        raise Skipped("DRILL_WEEKLY_GOLDEN names no golden set: a stored one, or a file.")
    bound = contract()
    try:
        place = endpoints.endpoint_named(given["endpoint"])
        cap = cap_of(given["cap"], place, variable="DRILL_WEEKLY_CAP")
        deciding.policy_of(bound)
        rows = opening.opened(given["golden"], bound.labels).rows
    except (EndpointRefused, GoldenRefused, PolicyUnusable) as error:
        raise Skipped(str(error)) from None
    return Plan(given["golden"], rows, bound), place, cap


def _how(trial: ScheduledTrial, cap: int | None) -> How:
    until = time.monotonic() + _STEP_SECONDS

    def told(run: DrillRun, done: int) -> None:
        if trial.run_id != run.pk:
            trial.run = run
            trial.save(update_fields=["run"])
        if time.monotonic() > until:
            raise _Pause

    return How(Path(settings.DRILLS_FOLDER), told=told, spending=Spending(cap))


def _compared(trial: ScheduledTrial, plan: Plan, given: Mapping[str, Any]) -> str:
    run = trial.run
    if run is None:
        raise Ended("Its run was deleted.")
    baseline, why = _baseline(run, plan, given["baseline"])
    if baseline is None:
        return f"{run.name} is the first run of these rows: the next one is compared with it. {why}".strip()
    by = deciding.policy_of(plan.contract)
    trial.drill = deciding.record(plan, (baseline, run), by, asked_by=BY, now=timezone.now())
    trial.save(update_fields=["drill"])
    unread = len(deciding.unread(trial.drill, deciding.found_of(trial.drill)))
    told = f"{unread} rows differ and are to be read." if unread else "No row is left to be read."
    return f"Drill {trial.drill.pk}: {run.name} beside {baseline.name}. {told} {why}".strip()


def _baseline(run: DrillRun, plan: Plan, name: str) -> tuple[DrillRun | None, str]:
    """Return what the settings name to compare with, else the last run of the same rows by the schedule."""
    why = ""
    try:
        if not baselines.is_endpoint(name):
            return baselines.stored(name, plan, by=BY, now=timezone.now()), ""
        why = f"DRILL_WEEKLY_BASELINE={name} is an endpoint: name a stored run."
    except BaselineRefused as refused:
        why = str(refused)
    same = {name: getattr(run, name) for name in _SAME}
    earlier = DrillRun.objects.filter(started_by=BY, finished_at__isnull=False, **same).exclude(pk=run.pk)
    return earlier.first(), why


_SAME = ("endpoint", "times", "golden_digest", "contract_digest", "prompt_digest", "rules_digest")
