"""What the figures are counted from: corrected stamps, records, sums by day, audits of passes."""

from django.conf import settings
from django.db import models
from django.db.models import Q

_PERSON = settings.AUTH_USER_MODEL


class StampEdit(models.Model):
    """One correction of a stamp by a person. It is never changed; the last one of a name stands."""

    incident = models.ForeignKey("incidents.Incident", on_delete=models.PROTECT, related_name="stamp_edits")
    name = models.CharField(max_length=24)
    at = models.DateTimeField()
    because = models.CharField(max_length=300)
    by = models.ForeignKey(_PERSON, on_delete=models.PROTECT, related_name="stamp_edits")
    entry = models.BigIntegerField(help_text="the entry that records it")
    made_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.name} of #{self.incident_id}"


class Record(models.Model):
    """One incident as the figures count it, made anew from its rows after each change of it."""

    incident = models.OneToOneField(
        "incidents.Incident", on_delete=models.PROTECT, primary_key=True, related_name="record"
    )
    day = models.DateField(help_text="of its detection, in UTC")
    source_id = models.BigIntegerField()
    team_id = models.BigIntegerField(null=True, blank=True)
    kind = models.CharField(max_length=10)
    service = models.CharField(max_length=120, blank=True, default="")
    rule = models.CharField(max_length=120, blank=True, default="")
    ended = models.CharField(max_length=10)
    judged = models.CharField(max_length=10)
    stamps = models.JSONField(help_text="each known moment by its name, in ISO text")
    first_closed_on = models.DateField(null=True, blank=True)
    was_reopened = models.BooleanField(default=False)
    is_comparable = models.BooleanField(default=False)
    is_override = models.BooleanField(default=False)
    verdict_id = models.BigIntegerField(default=0, help_text="the last one; 0 without one")
    lot_drawn_for = models.BigIntegerField(
        default=0, help_text="the verdict whose pass was drawn for an audit, or was not"
    )

    class Meta:
        indexes = [
            models.Index(fields=["day"], name="records_by_day"),
            models.Index(
                fields=["incident"],
                condition=Q(judged="pass", ended__in=["person", "pass"])
                & ~Q(lot_drawn_for=models.F("verdict_id")),
                name="lots_to_draw",
            ),
        ]

    def __str__(self) -> str:
        return f"record of #{self.incident_id}"


class DaySum(models.Model):
    """Everything counted of one day's incidents that share one value of one dimension."""

    day = models.DateField()
    dimension = models.CharField(max_length=8)
    value = models.CharField(max_length=120)
    body = models.TextField(help_text="a tally's text")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dimension", "value", "day"], name="one_sum_of_a_day"),
        ]
        indexes = [models.Index(fields=["dimension", "day"], name="sums_by_day")]

    def __str__(self) -> str:
        return f"{self.dimension} {self.value} on {self.day}"


class StaleIncident(models.Model):
    """One change of an incident that its record does not show yet. Written by a trigger."""

    incident_id = models.BigIntegerField()

    def __str__(self) -> str:
        return f"#{self.incident_id} changed"


class Recount(models.Model):
    """When the records were last brought up to date; one row."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"counted at {self.at}"


class PassAudit(models.Model):
    """An earned pass that a person checks by its evidence alone; `was_right` is null until it is known."""

    incident = models.ForeignKey("incidents.Incident", on_delete=models.PROTECT, related_name="pass_audits")
    verdict_id = models.BigIntegerField(unique=True)
    rule = models.CharField(max_length=120)
    rule_version = models.PositiveIntegerField()
    why = models.CharField(max_length=8)
    closer = models.ForeignKey(
        _PERSON, on_delete=models.PROTECT, null=True, blank=True, related_name="passes_closed"
    )
    reviewer = models.ForeignKey(
        _PERSON, on_delete=models.PROTECT, null=True, blank=True, related_name="pass_audits"
    )
    drawn_at = models.DateTimeField()
    due_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=24, blank=True, default="")
    was_right = models.BooleanField(null=True, blank=True)
    because = models.TextField(blank=True, default="")

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.CheckConstraint(
                condition=Q(closer__isnull=True) | Q(reviewer__isnull=True) | ~Q(reviewer=models.F("closer")),
                name="no_closer_audits_their_own",
            ),
        ]
        indexes = [
            models.Index(fields=["rule", "answered_at"], name="pass_audits_of_a_rule"),
            models.Index(fields=["reviewer"], condition=Q(answered_at=None), name="pass_audits_to_do"),
        ]

    def __str__(self) -> str:
        return f"audit of #{self.incident_id} under {self.rule}"
