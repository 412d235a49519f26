"""What the figures are counted from: corrected stamps, records, sums by day, audits of passes."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
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
    bars = ArrayField(
        models.SmallIntegerField(null=True),
        default=list,
        db_default=[],
        help_text="of each stage's duration, as the sums count it; none of one that no person closed",
    )
    logs = ArrayField(models.IntegerField(null=True), default=list, db_default=[])
    summed_as = models.SmallIntegerField(
        default=0, db_default=0, help_text="the shape of the sums that it is counted in; 0 in none yet"
    )
    verdict_id = models.BigIntegerField(default=0, help_text="the last one; 0 without one")
    lot_drawn_for = models.BigIntegerField(
        default=0, help_text="the verdict whose pass was drawn for an audit, or was not"
    )

    class Meta:
        indexes = [
            models.Index(fields=["day"], name="records_by_day"),
            models.Index(fields=["source_id", "day"], name="records_of_a_source"),
            models.Index(fields=["team_id", "day"], name="records_of_a_team"),
            models.Index(fields=["service", "day"], name="records_of_a_service"),
            models.Index(fields=["rule", "day"], name="records_of_a_rule"),
            models.Index(fields=["-day"], condition=Q(summed_as=0), name="records_to_sum"),
            models.Index(
                fields=["incident"],
                condition=Q(judged="pass", ended__in=["person", "pass"])
                & ~Q(lot_drawn_for=models.F("verdict_id")),
                name="lots_to_draw",
            ),
        ]

    def __str__(self) -> str:
        return f"record of #{self.incident_id}"


class SpanSum(models.Model):
    """Everything counted of a day's or a week's incidents that share the values of up to two dimensions."""

    by = models.CharField(
        max_length=16, blank=True, help_text="the dimensions, joined; none of all incidents"
    )
    length = models.SmallIntegerField(help_text="in days: 1, or 7 from a Monday")
    first = models.DateField()
    one = models.CharField(max_length=120, blank=True, default="", help_text="the first dimension's value")
    other = models.CharField(max_length=120, blank=True, default="")
    body = models.TextField(help_text="a tally's text, without its bars")
    resolve = models.TextField(help_text="the bars of the time to resolve")
    stages = models.TextField(help_text="the bars of the other stages")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["by", "length", "first", "one", "other"], name="one_sum_of_a_span"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.by} {self.one} {self.other} of {self.length} days from {self.first}"


class AgentDay(models.Model):
    """What agents did on one day: how model runs ended, what they cost, which tools answered with nothing."""

    day = models.DateField(primary_key=True)
    body = models.TextField(help_text="a day's text, as the figures of agents write it")

    def __str__(self) -> str:
        return f"agents on {self.day}"


class RuleTally(models.Model):
    """One step of how rules fare, written by triggers. Now and then the steps are added up."""

    hypothesis = models.CharField(max_length=120)
    raised = models.BigIntegerField(default=0, help_text="investigations whose last verdict is of it")
    earned = models.BigIntegerField(default=0)
    overridden = models.BigIntegerField(default=0, help_text="verdicts that a closing contradicted")
    last_raised_at = models.DateTimeField(null=True, blank=True)
    last_earned_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.raised} of {self.hypothesis}"


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
