"""One attempt at a write, and what each gate said on the way."""

from django.db import models
from django.db.models import Q

from approvals.models.requests import ActionRequest
from approvals.states import Answer, Phase


class Execution(models.Model):
    """One claim of one request. A request is claimed once: there is no second attempt at the same write.

    `intent_entry` is committed before the target is called; a row without `ended_at` whose lease ran out is
    what `unknown` means.
    """

    request = models.OneToOneField(ActionRequest, on_delete=models.PROTECT, related_name="execution")
    key = models.CharField(max_length=64, unique=True, help_text="the idempotency token given to the target")
    switch_version = models.PositiveBigIntegerField()
    claimed_at = models.DateTimeField()
    lease_until = models.DateTimeField()
    intent_entry = models.BigIntegerField(null=True, blank=True)
    called_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    result_entry = models.BigIntegerField(null=True, blank=True)
    result = models.TextField(blank=True, default="", help_text="canonical JSON of what the target said")
    after_version = models.CharField(
        max_length=200, blank=True, default="", help_text="of the target, as it was read after the write"
    )
    verify_at = models.DateTimeField(null=True, blank=True, help_text="when the effect is looked for")
    settled_by = models.CharField(
        max_length=200, blank=True, default="", help_text="who settled an unknown one"
    )
    settled_because = models.TextField(blank=True, default="")

    class Meta:
        indexes = [
            models.Index(fields=["lease_until"], condition=Q(ended_at=None), name="open_executions"),
        ]

    def __str__(self) -> str:
        return f"execution of request {self.request_id}"


class GateAnswer(models.Model):
    """What one gate said at one time about one request."""

    request = models.ForeignKey(ActionRequest, on_delete=models.PROTECT, related_name="gate_answers")
    phase = models.CharField(max_length=12, choices=[(p.value, p.value) for p in Phase])
    place = models.PositiveSmallIntegerField(help_text="the order in which the gates were asked")
    gate = models.CharField(max_length=40)
    answer = models.CharField(max_length=20, choices=[(a.value, a.value) for a in Answer])
    sentence = models.TextField()
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.gate}: {self.answer}"


class CredentialProbe(models.Model):
    """The newest two-sided probe of one write credential: the needed verbs are there, forbidden ones not."""

    credential = models.CharField(max_length=80, unique=True)
    is_ok = models.BooleanField()
    sentence = models.TextField()
    probed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"probe of {self.credential}"
