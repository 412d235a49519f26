"""Which trial is due, begun once for its day by whoever looks first, and taken on after whatever killed it.

What is to be done stands in a row; a message carries its number alone and may be lost or come twice.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from incidents import sending
from trials.holding import Held, held
from trials.models import ScheduledTrial
from trials.schedules import alarms, nightly, weekly
from trials.schedules.due import Ended, Skipped, due
from trials.states import Schedule, ScheduledState

_TASK = "trials.tasks.go_on"
_OPEN = (ScheduledState.WAITING, ScheduledState.RUNNING)
_AGAIN_AFTER = timedelta(minutes=5)
_MOST_TRIES = 5
_STEPS = {Schedule.NIGHTLY: nightly.step, Schedule.WEEKLY: weekly.step}


def look(now: datetime) -> int:
    """Begin what is due and send on what nobody is at; return how many were begun.

    Of several that look at once one begins it: there is one row for a schedule and a day.
    """
    begun = 0
    for schedule in Schedule:
        day = due(given(schedule), now)
        if day is None:
            continue
        trial, is_new = ScheduledTrial.objects.get_or_create(
            schedule=schedule, day=day, defaults={"created_at": now, "moved_at": now}
        )
        if is_new:
            begun += 1
            _end_older(trial, now)
            sending.send(_TASK, trial.pk)
    for number in _stuck(now):
        sending.send(_TASK, number)
    return begun


def given(schedule: Schedule) -> Mapping[str, Any]:
    """Return the settings of a schedule."""
    found: Mapping[str, Any] = (
        settings.NIGHTLY_TRIAL if schedule is Schedule.NIGHTLY else settings.WEEKLY_DRILL
    )
    return found


def _stuck(now: datetime) -> list[int]:
    """Return the trials that nobody has moved for a while, and count them as sent."""
    rows = ScheduledTrial.objects.filter(state__in=_OPEN, moved_at__lte=now - _AGAIN_AFTER)
    return [
        number
        for number in rows.values_list("pk", flat=True)
        if ScheduledTrial.objects.filter(pk=number, moved_at__lte=now - _AGAIN_AFTER).update(moved_at=now)
    ]


def _end_older(trial: ScheduledTrial, now: datetime) -> None:
    older = ScheduledTrial.objects.filter(schedule=trial.schedule, state__in=_OPEN).exclude(pk=trial.pk)
    older.update(
        state=ScheduledState.STOPPED, ended_at=now, note="It was not finished when the next one was due."
    )


def go_on(number: int) -> bool:
    """Make one step of a trial; return whether there is another to send for.

    One worker is at it at a time: a second message finds it held and does nothing. A fault of our own is
    raised; it is tried again later, and stopped after five.
    """
    with held(Held.SCHEDULED_TRIAL, number) as is_ours:
        trial = _claimed(number) if is_ours else None
        if trial is None:
            return False
        if trial.tries > _MOST_TRIES:
            _end(trial, ScheduledState.STOPPED, f"A step of it failed {_MOST_TRIES} times: see the log.")
            return False
        try:
            summary = _STEPS[Schedule(trial.schedule)](trial, given(Schedule(trial.schedule)))
        except Skipped as why:
            _end(trial, ScheduledState.SKIPPED, str(why))
        except Ended as why:
            _end(trial, ScheduledState.STOPPED, str(why))
        else:
            ScheduledTrial.objects.filter(pk=number).update(tries=0)
            if summary is None:
                return True
            _end(trial, ScheduledState.DONE, summary)
    return False


def _claimed(number: int) -> ScheduledTrial | None:
    rows = ScheduledTrial.objects.filter(pk=number, state__in=_OPEN)
    if not rows.update(state=ScheduledState.RUNNING, tries=F("tries") + 1, moved_at=timezone.now()):
        return None
    return ScheduledTrial.objects.get(pk=number)


def _end(trial: ScheduledTrial, state: ScheduledState, note: str) -> None:
    """End it with its sentence, then look whether what it adds is an alarm."""
    now = timezone.now()
    rows = ScheduledTrial.objects.filter(pk=trial.pk, state__in=_OPEN)
    if rows.update(state=state, note=note[:2_000], ended_at=now):
        trial.refresh_from_db()
        if trial.evaluation_id and settings.LANGFUSE_KEYS is not None:
            sending.send("trials.tasks.hand_over", trial.evaluation_id)
        alarms.look(trial, given(Schedule(trial.schedule)), now)
