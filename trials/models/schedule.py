"""Trials that run by themselves: each night's evaluation and each week's drill, and what they alarmed of."""

from django.db import models
from django.db.models import Q

from trials.models.drill import Drill, DrillRun
from trials.models.evaluation import Evaluation
from trials.states import Schedule, ScheduledState


class ScheduledTrial(models.Model):
    """One night's evaluation, or one week's drill. There is one for each day that it is due on."""

    schedule = models.CharField(max_length=10, choices=[(each.value, each.value) for each in Schedule])
    day = models.DateField(help_text="on which it was due, in UTC")
    state = models.CharField(
        max_length=10,
        choices=[(each.value, each.value) for each in ScheduledState],
        default=ScheduledState.WAITING,
    )
    note = models.TextField(blank=True, default="", help_text="why it was skipped or stopped, or how it went")
    tries = models.PositiveIntegerField(default=0, help_text="steps that were begun since one ended well")
    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.SET_NULL, null=True, blank=True, related_name="scheduled"
    )
    run = models.ForeignKey(
        DrillRun, on_delete=models.SET_NULL, null=True, blank=True, related_name="scheduled"
    )
    drill = models.ForeignKey(
        Drill, on_delete=models.SET_NULL, null=True, blank=True, related_name="scheduled"
    )
    created_at = models.DateTimeField()
    moved_at = models.DateTimeField(help_text="when it was sent to a worker, or a step of it was begun")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-day", "schedule")
        constraints = [
            models.UniqueConstraint(fields=["schedule", "day"], name="one_scheduled_trial_a_day"),
            models.CheckConstraint(
                condition=Q(state__in=("waiting", "running"), ended_at=None)
                | (~Q(state__in=("waiting", "running")) & Q(ended_at__isnull=False)),
                name="scheduled_trial_ended_with_its_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.schedule} of {self.day}"


class TrialAlarm(models.Model):
    """One time that scheduled trials were worse than their limit, and an incident was opened for it."""

    key = models.CharField(max_length=200, help_text="the sender's key of its incident")
    trial = models.ForeignKey(ScheduledTrial, on_delete=models.CASCADE, related_name="alarms")
    hits = models.PositiveIntegerField()
    of = models.PositiveIntegerField()
    limit = models.FloatField()
    raised_at = models.DateTimeField()

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(fields=["key", "trial"], name="one_alarm_of_a_key_and_a_trial"),
        ]

    def __str__(self) -> str:
        return f"alarm {self.key}"
