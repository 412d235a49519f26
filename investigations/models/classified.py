"""How an issue was classified: what a model said of it, and what code found of that."""

from django.db import models
from django.db.models import Q

from investigations.models.runs import Investigation
from investigations.states import RunResult


class Classified(models.Model):
    """One classification of one issue by one run. A label stands only where the contract was met.

    What a model said of its own confidence stands nowhere.
    """

    investigation = models.OneToOneField(Investigation, on_delete=models.PROTECT, related_name="classified")
    incident_id = models.BigIntegerField(db_index=True)
    attempt = models.PositiveIntegerField()
    status = models.CharField(max_length=14, choices=[(r.value, r.value) for r in RunResult])
    fenced = models.BooleanField(default=False, help_text="the reply stood in a code fence")
    label = models.CharField(max_length=20, blank=True, default="")
    reasons = models.JSONField(default=list, help_text="the model's codes, or a machine's own")
    checks = models.JSONField(default=list, help_text="each claimed reason, and what code found of it")
    needs_human = models.BooleanField(default=True)
    why = models.TextField(blank=True, default="", help_text="why a person has to look, in words")
    drifted = models.CharField(
        max_length=60, blank=True, default="", help_text="a label that it named and the version does not know"
    )
    contract_version = models.CharField(max_length=20)
    label_set = models.CharField(max_length=20)
    contract_digest = models.CharField(max_length=64)
    prompt_digest = models.CharField(max_length=64)
    endpoint = models.CharField(max_length=40)
    model = models.CharField(max_length=200, blank=True, default="", help_text="as the last reply names it")
    fingerprint = models.CharField(max_length=200, blank=True, default="")
    exchanges = models.JSONField(default=list, help_text="the ids of the exchanges with the model")
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    micros = models.PositiveBigIntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    text_digest = models.CharField(max_length=64, help_text="of the title and body as they were classified")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["first_pass", "repaired"]) ^ Q(label=""),
                name="a_label_where_the_contract_was_met",
            ),
            models.CheckConstraint(
                condition=~Q(label="") | Q(needs_human=True), name="without_a_label_a_person_looks"
            ),
        ]
        indexes = [
            models.Index(fields=["created_at"], condition=~Q(drifted=""), name="classified_drifts"),
        ]

    def __str__(self) -> str:
        return f"classification of incident {self.incident_id}: {self.label or self.status}"
