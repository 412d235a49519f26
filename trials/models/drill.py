"""Drills: a golden set through one endpoint (a run), two runs compared, and who read where they differ."""

from django.db import models
from django.db.models import Q

from investigations.states import RunResult
from trials.states import Right


class DrillRun(models.Model):
    """A golden set through one endpoint, row by row. Rows go in until it is finished, and none after that.

    The digests say what was asked and by what it was held: only runs that agree in them are compared.
    """

    name = models.CharField(max_length=120, unique=True, help_text="its UTC time and its endpoint")
    endpoint = models.CharField(max_length=40)
    base_url = models.TextField(help_text="of the endpoint, as it was set then; empty for a file's")
    model = models.CharField(max_length=200, help_text="as the settings named it")
    times = models.PositiveIntegerField(default=1, help_text="how often each row is asked")
    rows_in_all = models.PositiveIntegerField()
    golden_digest = models.CharField(max_length=64)
    contract_digest = models.CharField(max_length=64)
    prompt_digest = models.CharField(max_length=64)
    rules_digest = models.CharField(max_length=64, help_text="of the code that checks claimed reasons")
    is_from_file = models.BooleanField(default=False, help_text="taken from a CSV, with no replies")
    started_by = models.CharField(max_length=200)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-started_at", "-pk")

    def __str__(self) -> str:
        return self.name


class DrillRow(models.Model):
    """What came of one row at one time of asking. Booked once."""

    run = models.ForeignKey(DrillRun, on_delete=models.CASCADE, related_name="rows")
    position = models.PositiveIntegerField()
    row_id = models.CharField(max_length=200)
    time = models.PositiveIntegerField(help_text="from 1: the how-manieth time that the row was asked")
    expected = models.CharField(max_length=40)
    got = models.CharField(max_length=40, blank=True, default="", help_text="empty without a valid label")
    status = models.CharField(max_length=14, choices=[(each.value, each.value) for each in RunResult])
    is_fenced = models.BooleanField(default=False)
    needs_human = models.BooleanField()
    reasons = models.JSONField(default=list)
    found = models.PositiveIntegerField(default=0, help_text="claimed reasons that code found to hold")
    needed = models.PositiveIntegerField(default=0, help_text="claimed reasons that code can check")
    seconds = models.FloatField(default=0.0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    micros = models.PositiveBigIntegerField(default=0)
    model = models.CharField(max_length=200, blank=True, default="", help_text="as the reply names it")
    fingerprint = models.CharField(max_length=200, blank=True, default="")
    is_override = models.BooleanField(default=False, help_text="the golden row is of a human override")
    is_frozen = models.BooleanField(default=False, help_text="the golden row is of the frozen part")
    is_hard = models.BooleanField(default=False)
    why = models.TextField(blank=True, default="")
    replies = models.JSONField(default=list, help_text="what the model wrote, masked")
    exchanges = models.JSONField(default=list, help_text="ids of the kept exchanges")
    booked_at = models.DateTimeField()

    class Meta:
        ordering = ("run", "position", "time")
        constraints = [
            models.UniqueConstraint(fields=["run", "row_id", "time"], name="drill_row_booked_once"),
            models.CheckConstraint(
                condition=~Q(status__in=("first_pass", "repaired"), got="")
                & (Q(status__in=("first_pass", "repaired")) | Q(got="", needs_human=True)),
                name="drill_row_without_contract_has_no_label",
            ),
        ]

    def __str__(self) -> str:
        return f"drill row {self.pk}"


class Drill(models.Model):
    """Two finished runs compared by one policy. What it comes to is shown once each difference was read."""

    baseline = models.ForeignKey(DrillRun, on_delete=models.PROTECT, related_name="drills_as_baseline")
    candidate = models.ForeignKey(DrillRun, on_delete=models.PROTECT, related_name="drills_as_candidate")
    golden = models.TextField(help_text="the golden set as it was named")
    texts = models.JSONField(default=dict, help_text="title and body of the rows that differ, masked, by id")
    policy = models.TextField(help_text="the policy's file as it stood")
    policy_digest = models.CharField(max_length=64)
    decision = models.CharField(max_length=20, help_text="what the policy said, when it was made")
    started_by = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    unlocked_at = models.DateTimeField(null=True, blank=True)
    promoted_by = models.CharField(max_length=200, blank=True, default="")
    promoted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["baseline", "candidate", "policy_digest"], name="one_drill_of_two_runs_and_a_policy"
            ),
            models.CheckConstraint(
                condition=Q(promoted_at=None, promoted_by="")
                | (Q(promoted_at__isnull=False, unlocked_at__isnull=False) & ~Q(promoted_by="")),
                name="drill_promoted_by_somebody_once_unlocked",
            ),
        ]

    def __str__(self) -> str:
        return f"drill {self.pk}"


class DisagreementRead(models.Model):
    """One person read one row in which the two runs of a drill differ. The first to read it unlocks it."""

    drill = models.ForeignKey(Drill, on_delete=models.PROTECT, related_name="reads")
    row_id = models.CharField(max_length=200)
    by = models.CharField(max_length=200)
    read_at = models.DateTimeField()
    right = models.CharField(
        max_length=10,
        choices=[(each.value, each.value) for each in Right],
        blank=True,
        default="",
        help_text="whose answer this person holds to be right; empty where they did not say",
    )
    note = models.TextField(blank=True, default="", help_text="what they said of it, masked")

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(fields=["drill", "row_id", "by"], name="disagreement_read_once_by_one"),
        ]

    def __str__(self) -> str:
        return f"{self.row_id} read by {self.by}"
