"""What administrators decide about tools, what people are asked to allow, and calls as lists need them."""

from django.db import models


class Effect(models.TextChoices):
    """What a tool rule does to the calls that it matches."""

    DENY = "deny"
    PAUSE = "pause"
    ASK = "ask"


class ToolRule(models.Model):
    """One standing decision about calls: refuse them, refuse all of a tool, or ask a person first.

    It is made and ended, never changed. The audit log knows both.
    """

    effect = models.CharField(max_length=8, choices=Effect.choices)
    tool = models.CharField(max_length=100, help_text="a tool's name; * and ? stand for any letters")
    caller = models.CharField(max_length=200, default="*", help_text="who asks, such as token:* or model*")
    arguments = models.JSONField(default=dict, help_text="argument name to pattern; all of them must match")
    because = models.CharField(max_length=300)
    made_by = models.CharField(max_length=200)
    made_at = models.DateTimeField()
    ended_by = models.CharField(max_length=200, default="", blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        indexes = [
            models.Index(fields=["effect"], name="toolrule_standing", condition=models.Q(ended_at=None)),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["tool"],
                condition=models.Q(effect="pause", ended_at=None),
                name="toolrule_one_pause_a_tool",
            ),
            models.CheckConstraint(
                condition=~models.Q(effect="pause") | models.Q(caller="*", arguments={}),
                name="toolrule_a_pause_is_for_all",
            ),
            models.CheckConstraint(
                condition=models.Q(ended_at=None, ended_by="")
                | (models.Q(ended_at__isnull=False) & ~models.Q(ended_by="")),
                name="toolrule_ended_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.effect} {self.tool} for {self.caller}"


class Answer(models.TextChoices):
    """How an ask ended."""

    ALLOWED = "allowed"
    REFUSED = "refused"
    EXPIRED = "expired"


class Ask(models.Model):
    """One call that waits until a person allows it. The call itself waits; this row is how they meet."""

    rule = models.BigIntegerField(help_text="the tool rule that demands it")
    tool = models.CharField(max_length=100)
    caller = models.CharField(max_length=200)
    shown = models.JSONField(default=dict, help_text="the arguments as the page shows them: redacted, cut")
    arguments_digest = models.CharField(max_length=64, help_text="SHA-256 of the arguments in their one form")
    incident = models.BigIntegerField(null=True, blank=True)
    investigation = models.BigIntegerField(null=True, blank=True)
    opened_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    answer = models.CharField(max_length=8, choices=Answer.choices, default="", blank=True)
    answered_by = models.CharField(max_length=200, default="", blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    words = models.CharField(max_length=300, default="", blank=True)

    class Meta:
        ordering = ("pk",)
        indexes = [
            models.Index(fields=["expires_at"], name="ask_open", condition=models.Q(answer="")),
        ]

    def __str__(self) -> str:
        return f"ask {self.pk} for {self.tool}"


class Call(models.Model):
    """One call of a tool as lists and searches need it. Its entry is the truth, and holds the rest."""

    entry = models.BigIntegerField(primary_key=True)
    leaf = models.CharField(max_length=64)
    recorded_at = models.DateTimeField()
    tool = models.CharField(max_length=100)
    connector = models.CharField(max_length=64, blank=True)
    status = models.CharField(max_length=16)
    stopped_by = models.CharField(max_length=16, blank=True, help_text="the step that refused it")
    caller = models.CharField(max_length=200)
    incident = models.BigIntegerField(null=True, blank=True)
    investigation = models.BigIntegerField(null=True, blank=True)
    milliseconds = models.PositiveIntegerField()

    class Meta:
        ordering = ("-entry",)
        indexes = [
            models.Index(fields=["tool", "-entry"], name="call_by_tool"),
            models.Index(fields=["status", "-entry"], name="call_by_status"),
            models.Index(fields=["caller", "-entry"], name="call_by_caller"),
            models.Index(fields=["recorded_at"], name="call_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.status} (entry {self.entry})"


from toolbox.proofrows import (  # noqa: E402, F401 a file of their own, which Django finds through this one
    ConnectorProof,
    ResidualAcknowledgement,
    ToolAcknowledgement,
)
