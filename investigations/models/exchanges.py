"""What was said to models and what it cost: exchanges, their transcripts, and the terms of their hosts."""

from django.db import models
from django.db.models import Q

from investigations.models.runs import Investigation
from investigations.states import Exchanged, Purpose


class Transcript(models.Model):
    """A text that was sent or received, redacted, under the digest of what is kept.

    Either a part (one message, the tools on offer) or the record of an exchange, which names its
    parts by digest: a run says the same beginning again at each step, and it is kept once.
    """

    digest = models.CharField(max_length=64, unique=True)
    body = models.TextField(help_text="JSON, redacted; written once")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"transcript {self.digest[:12]}"


class Exchange(models.Model):
    """One request to a model and its reply. Stored before it is sent: a killed worker leaves a sign."""

    investigation = models.ForeignKey(
        Investigation, on_delete=models.PROTECT, related_name="exchanges", null=True, blank=True
    )
    incident_id = models.BigIntegerField(null=True, blank=True)
    purpose = models.CharField(max_length=12, choices=[(each.value, each.value) for each in Purpose])
    endpoint = models.CharField(max_length=40)
    model = models.CharField(max_length=200, help_text="as the reply names it, else as it was asked for")
    fingerprint = models.CharField(max_length=200, blank=True, default="")
    step = models.PositiveIntegerField(help_text="counts the exchanges of one run for one purpose")
    transcript_digest = models.CharField(max_length=64, blank=True, default="")
    outcome = models.CharField(
        max_length=12, choices=[(each.value, each.value) for each in Exchanged], default=Exchanged.SENT
    )
    reason = models.TextField(blank=True, default="", help_text="why no reply came, in words")
    tries = models.PositiveIntegerField(default=0, help_text="requests made, the last one included")
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    micros = models.PositiveBigIntegerField(default=0, help_text="millionths of the currency of the prices")
    seconds = models.FloatField(default=0.0)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        indexes = [
            models.Index(fields=["incident_id"], name="exchanges_by_incident"),
            # With what is summed up over a span of time, so that no row is read for it.
            models.Index(
                fields=["created_at"], include=("investigation", "micros"), name="exchanges_spent_by_time"
            ),
        ]

    def __str__(self) -> str:
        return f"exchange {self.pk} with {self.endpoint}"


class EndpointTerms(models.Model):
    """An administrator's word on a host of models: whose it is, and that its data terms were read."""

    host = models.CharField(max_length=255, help_text="of the base URL, with its port where one is named")
    hosted_by = models.CharField(max_length=200, help_text="the company or team that runs it")
    terms = models.CharField(max_length=500, help_text="where the data terms stand, and what was agreed")
    recorded_by = models.CharField(max_length=200)
    recorded_at = models.DateTimeField()
    ended_by = models.CharField(max_length=200, blank=True, default="")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["host"], condition=Q(ended_at=None), name="one_standing_word_per_host"
            ),
        ]

    def __str__(self) -> str:
        return f"terms of {self.host}"
