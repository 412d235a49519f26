"""Which model serves each purpose, and what the replies of each endpoint say that they are of."""

from django.db import models
from django.db.models import Q

from investigations.states import Purpose, Taken


class EndpointUse(models.Model):
    """One model that serves one purpose. A passed drill replaces it, or for a time an administrator."""

    purpose = models.CharField(max_length=12, choices=[(each.value, each.value) for each in Purpose])
    base_url = models.TextField()
    model = models.CharField(max_length=200, help_text="as the settings named it")
    endpoint = models.CharField(max_length=40, help_text="its name in the settings then")
    how = models.CharField(max_length=10, choices=[(each.value, each.value) for each in Taken])
    drill = models.BigIntegerField(null=True, blank=True, help_text="the drill that it passed")
    because = models.CharField(max_length=300, blank=True, default="")
    began_by = models.CharField(max_length=200)
    began_at = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True, help_text="of an override: when it ends by itself")
    ended_by = models.CharField(max_length=200, blank=True, default="")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["purpose"], condition=Q(ended_at=None, until=None), name="one_endpoint_in_use"
            ),
            models.UniqueConstraint(
                fields=["purpose"],
                condition=Q(ended_at=None, until__isnull=False),
                name="one_override_of_an_endpoint",
            ),
            models.CheckConstraint(
                condition=Q(how="drill", drill__isnull=False, until=None)
                | Q(how="first", drill=None, until=None)
                | (Q(how="override", drill=None, until__isnull=False) & ~Q(because="")),
                name="endpoint_taken_by_a_way_that_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model} for {self.purpose}"


class EndpointSeen(models.Model):
    """One model and fingerprint that the replies of an endpoint named; a new one is told once."""

    base_url = models.TextField()
    asked = models.CharField(max_length=200, help_text="the model as it was asked for")
    model = models.CharField(max_length=200, blank=True, default="", help_text="as replies name it")
    fingerprint = models.CharField(max_length=200, blank=True, default="")
    endpoint = models.CharField(max_length=40)
    before = models.CharField(max_length=410, blank=True, default="", help_text="what they named before")
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    tell_at = models.DateTimeField(null=True, blank=True, help_text="a change that is not told yet")

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["base_url", "asked", "model", "fingerprint"], name="one_sight_of_each_model"
            ),
        ]
        indexes = [
            models.Index(fields=["tell_at"], condition=Q(tell_at__isnull=False), name="changes_to_tell"),
        ]

    def __str__(self) -> str:
        return f"{self.model} {self.fingerprint}"
