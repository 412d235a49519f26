"""What runs by itself as a page shows it: when it is due next, how it went last, and what it alarmed of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from incidents.models import Incident
from trials.models import ScheduledTrial, TrialAlarm
from trials.schedules.due import next_due
from trials.schedules.keeping import given
from trials.states import Schedule

_MOST = 50
_TITLES = {Schedule.NIGHTLY: "Nightly evaluation", Schedule.WEEKLY: "Weekly drill"}
_HOURS = {Schedule.NIGHTLY: "TRIAL_NIGHTLY_HOUR", Schedule.WEEKLY: "DRILL_WEEKLY_HOUR"}


@dataclass(frozen=True, slots=True)
class Standing:
    """One schedule: what is set for it, when it is due (None where it is off), and the last time it ran."""

    title: str
    variable: str
    given: Mapping[str, Any]
    on: str
    due_at: datetime | None
    last: ScheduledTrial | None


@dataclass(frozen=True, slots=True)
class Ran:
    """One time that it ran, and the numbers of the incidents that were opened for it."""

    trial: ScheduledTrial
    title: str
    alarms: Sequence[int]


def standings(now: datetime) -> Sequence[Standing]:
    """Return both schedules."""
    found = []
    for schedule in Schedule:
        last = ScheduledTrial.objects.filter(schedule=schedule).order_by("-day").first()
        wanted = given(schedule)
        on = wanted["set"] if schedule is Schedule.NIGHTLY else wanted["golden"]
        due_at = next_due(wanted, now, last.day if last else None)
        found.append(Standing(_TITLES[schedule], _HOURS[schedule], wanted, on, due_at, last))
    return found


def newest() -> Sequence[Ran]:
    """Return the last times that anything ran by itself, the newest first."""
    trials = list(ScheduledTrial.objects.select_related("evaluation", "drill")[:_MOST])
    alarms = list(TrialAlarm.objects.filter(trial__in=trials).order_by("pk"))
    opened = Incident.objects.filter(source__slug="schedule", sender_key__in={each.key for each in alarms})
    numbers = dict(opened.order_by("pk").values_list("sender_key", "pk"))  # of each key its newest
    return [
        Ran(
            trial,
            _TITLES[Schedule(trial.schedule)],
            [numbers[each.key] for each in alarms if each.trial_id == trial.pk and each.key in numbers],
        )
        for trial in trials
    ]
