"""The rows of proofs and acknowledgements: how each credential stood last, and what administrators accept."""

from django.db import models


class Standing(models.TextChoices):
    """How a credential stands after its last proof."""

    PROVEN = "proven"
    REFUSED = "refused"
    UNPROVEN = "unproven"


class ConnectorProof(models.Model):
    """How a connector's credential stood when it was last proven. For pages: each process proves its own."""

    connector = models.CharField(max_length=64, unique=True)
    credential = models.CharField(max_length=200, blank=True, help_text="role@database, as the server says")
    standing = models.CharField(max_length=8, choices=Standing.choices)
    reason = models.TextField(blank=True, help_text="why its tools are not served")
    findings = models.JSONField(default=list)
    milliseconds = models.PositiveIntegerField(default=0)
    proven_at = models.DateTimeField()
    since = models.DateTimeField(help_text="since when it has stood like this")

    class Meta:
        ordering = ("connector",)

    def __str__(self) -> str:
        return f"{self.connector} is {self.standing}"


class ResidualAcknowledgement(models.Model):
    """One family of rights of one credential that nobody can revoke, accepted by an administrator by name.

    It covers the objects that were found then. One found later is new, and refuses again.
    """

    connector = models.CharField(max_length=64)
    credential = models.CharField(max_length=200)
    name = models.CharField(max_length=64)
    objects_found = models.JSONField(default=list)
    because = models.CharField(max_length=300)
    acknowledged_by = models.CharField(max_length=200)
    acknowledged_at = models.DateTimeField()
    ended_by = models.CharField(max_length=200, default="", blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        indexes = [
            models.Index(
                fields=["connector", "credential"],
                name="residual_standing",
                condition=models.Q(ended_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.connector}"


class ToolAcknowledgement(models.Model):
    """One declaration of a tool that may be asked: the first that was seen, or one acknowledged later."""

    tool = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)
    declaration = models.TextField(help_text="the whole declaration as canonical JSON")
    is_first = models.BooleanField(default=False)
    acknowledged_by = models.CharField(max_length=200)
    acknowledged_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(fields=["tool", "digest"], name="toolacknowledgement_once"),
            models.UniqueConstraint(
                fields=["tool"], condition=models.Q(is_first=True), name="toolacknowledgement_one_first"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.digest[:12]}"
