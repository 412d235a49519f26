"""An investigation: one run of an investigator over an incident."""

from django.db import models
from django.db.models import Q

from investigations.states import RunResult, State


class Investigation(models.Model):
    """One run of an Investigator over an Incident.

    `attempt` is the lease's fencing number: every write of a run says `WHERE attempt = …`.
    `tries` counts the claims since the run last made progress; too many of them end it as failed.
    """

    incident_id = models.BigIntegerField(db_index=True)
    investigator = models.CharField(max_length=20, default="playbook")
    state = models.CharField(max_length=12, choices=[(s.value, s.value) for s in State], default=State.QUEUED)
    subject = models.TextField(help_text="canonical JSON of the frozen Subject")
    attempt = models.PositiveIntegerField(default=0)
    tries = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    queued_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True, default="")
    outcome = models.CharField(
        max_length=14,
        choices=[(r.value, r.value) for r in RunResult],
        blank=True,
        default="",
        help_text="of a model's run: how it came to its submission",
    )
    model = models.CharField(max_length=200, blank=True, default="", help_text="as the endpoint named it")
    prompt_digest = models.CharField(max_length=64, blank=True, default="")
    contract_digest = models.CharField(max_length=64, blank=True, default="")
    rulebook_digest = models.CharField(max_length=64, blank=True, default="")
    rubric = models.TextField(
        blank=True, default="", help_text="a criterion on each line, frozen when the run was opened"
    )
    critic_note = models.CharField(
        max_length=400,
        blank=True,
        default="",
        help_text="how the critic's look at it ended; empty without one",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["incident_id"],
                condition=Q(state__in=["waiting", "queued", "running"]),
                name="one_open_investigation",
            ),
        ]
        indexes = [
            models.Index(
                fields=["state", "lease_until", "due_at"],
                condition=Q(state__in=["waiting", "queued", "running"]),
                name="open_investigations",
            ),
            models.Index(
                fields=["finished_at", "outcome"], condition=~Q(outcome=""), name="model_runs_by_end"
            ),
        ]

    def __str__(self) -> str:
        return f"investigation {self.pk} of incident {self.incident_id}"
