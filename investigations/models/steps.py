"""What a model's run did, step by step, what a person said to it meanwhile, and what it handed in."""

from django.db import models

from investigations.models.runs import Investigation
from investigations.states import StepKind


class Step(models.Model):
    """One step of a run: what was said to the model, its answer, or one answered call of it.

    Steps are only added, so that a worker which takes over goes on where the last one was killed. A REPLY is
    the one kind that costs money, and what it cost stands in it once.
    """

    investigation = models.ForeignKey(Investigation, on_delete=models.PROTECT, related_name="steps")
    number = models.PositiveIntegerField(help_text="from 1 within the run")
    attempt = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=[(k.value, k.value) for k in StepKind])
    body = models.TextField(help_text="canonical JSON of the messages as the model is shown them, redacted")
    exchange = models.BigIntegerField(default=0, help_text="of a reply, where one was stored; else 0")
    entry = models.BigIntegerField(default=0, help_text="of an answered call: its audit entry; else 0")
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    micros = models.PositiveBigIntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(fields=["investigation", "number"], name="one_step_of_each_number"),
        ]

    def __str__(self) -> str:
        return f"step {self.number} of investigation {self.investigation_id}: {self.kind}"


class RunNote(models.Model):
    """What a person tells a run while it goes on; the model reads it before its next answer."""

    investigation = models.ForeignKey(Investigation, on_delete=models.PROTECT, related_name="notes")
    text = models.CharField(max_length=2000)
    made_by = models.CharField(max_length=200, help_text="person:NAME")
    made_at = models.DateTimeField()
    step = models.PositiveIntegerField(default=0, help_text="the step that told the model; 0 until then")

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"note {self.pk} to investigation {self.investigation_id}"


class Submitted(models.Model):
    """A submission as it was handed in, whole: with the proposed actions, which no verdict ever reads."""

    investigation = models.ForeignKey(Investigation, on_delete=models.PROTECT, related_name="submissions")
    body = models.TextField(help_text="canonical JSON")
    digest = models.CharField(max_length=64)
    contract_digest = models.CharField(max_length=64, help_text="of the schema that it was held to")
    author = models.CharField(max_length=20)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"submission {self.pk} to investigation {self.investigation_id}"
