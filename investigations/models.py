"""Investigations and what they end in: a case, its verdict, a draft."""

from django.db import models
from django.db.models import Q

from investigations.states import State, TroubleKind


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
        ]

    def __str__(self) -> str:
        return f"investigation {self.pk} of incident {self.incident_id}"


class Case(models.Model):
    """What was judged, frozen: the canonical JSON of a verdicts Case with every entry of the run."""

    investigation = models.ForeignKey(Investigation, on_delete=models.PROTECT, related_name="cases")
    body = models.TextField()
    digest = models.CharField(max_length=64)
    judged_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"case {self.pk}"


class Verdict(models.Model):
    """One verdict over one Case. An investigation has one or more; the last counts."""

    case = models.OneToOneField(Case, on_delete=models.PROTECT, related_name="verdict")
    investigation = models.ForeignKey(Investigation, on_delete=models.PROTECT, related_name="verdicts")
    passed = models.BooleanField()
    hypothesis = models.CharField(max_length=120)
    reason = models.TextField()
    body = models.TextField(help_text="canonical JSON of the verdict: every fact's outcome and reason")
    rulebook_digest = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{'pass' if self.passed else 'fail'}: {self.hypothesis}"


class Draft(models.Model):
    """The answer that a person starts from, written for one Verdict: markdown with citations."""

    investigation = models.ForeignKey(Investigation, on_delete=models.PROTECT, related_name="drafts")
    verdict = models.OneToOneField(Verdict, on_delete=models.PROTECT, related_name="draft")
    text = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"draft {self.pk}"


class RuleSuspension(models.Model):
    """A rule that earns nothing until an administrator lifts the suspension."""

    rule = models.CharField(max_length=120)
    because = models.CharField(max_length=300)
    made_by = models.CharField(max_length=200, help_text="person:NAME, or the code that did it")
    made_at = models.DateTimeField()
    lifted_by = models.CharField(max_length=200, blank=True, default="")
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_because = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["rule"], condition=Q(lifted_at=None), name="one_standing_suspension_per_rule"
            ),
        ]

    def __str__(self) -> str:
        return f"suspension of {self.rule}"


class FactTrouble(models.Model):
    """One fact that could not be answered in one verdict: a field missing, of another type, or else."""

    verdict = models.ForeignKey(Verdict, on_delete=models.PROTECT, related_name="troubles")
    rule = models.CharField(max_length=120)
    fact = models.CharField(max_length=120)
    tool = models.CharField(max_length=120)
    path = models.CharField(
        max_length=200, blank=True, default="", help_text="of the field, where one is named"
    )
    kind = models.CharField(max_length=12, choices=[(t.value, t.value) for t in TroubleKind])
    created_at = models.DateTimeField()
    opened_incident = models.BooleanField(default=False, help_text="it was this one that told of a drift")

    class Meta:
        indexes = [models.Index(fields=["rule", "created_at"], name="fact_troubles_by_rule")]

    def __str__(self) -> str:
        return f"{self.rule}.{self.fact}: {self.kind}"
