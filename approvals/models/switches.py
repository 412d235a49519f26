"""What stands in the way of every write: the write switch, breakers, the change calendar; and break-glass."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class WriteSwitch(models.Model):
    """Whether writes may be executed in one scope: everywhere, for a team, for an action.

    A missing row counts as off. A write needs each scope that it falls into to be on; `version` grows with
    each change and is part of the claim.
    """

    scope = models.CharField(max_length=120, unique=True, help_text="global, team:ID or action:NAME")
    writes_enabled = models.BooleanField(default=False)
    version = models.PositiveBigIntegerField(default=1)
    changed_at = models.DateTimeField()
    changed_by = models.CharField(max_length=200)
    wanted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    wanted_at = models.DateTimeField(null=True, blank=True)
    because = models.CharField(max_length=300, blank=True, default="")

    def __str__(self) -> str:
        return f"{self.scope}: {'on' if self.writes_enabled else 'off'}"


class Breaker(models.Model):
    """The circuit breaker of one action on one target: opened by failures, closed by a person."""

    action = models.CharField(max_length=80)
    target = models.CharField(max_length=300)
    opened_at = models.DateTimeField()
    because = models.CharField(max_length=300)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.CharField(max_length=200, blank=True, default="")
    closed_because = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["action", "target"], condition=Q(closed_at=None), name="one_open_breaker"
            ),
        ]

    def __str__(self) -> str:
        return f"breaker of {self.action} on {self.target}"


class Freeze(models.Model):
    """A window of the change calendar in which nothing is executed in its scope."""

    title = models.CharField(max_length=120)
    scope = models.CharField(max_length=120, default="global", help_text="global, team:ID or action:NAME")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    made_by = models.CharField(max_length=200)
    made_at = models.DateTimeField()
    ended_by = models.CharField(max_length=200, blank=True, default="")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("starts_at",)
        constraints = [
            models.CheckConstraint(
                condition=Q(ends_at__gt=F("starts_at")), name="freeze_ends_after_it_begins"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class FreezeException(models.Model):
    """One request that one person lets through one freeze, by name and with a reason."""

    freeze = models.ForeignKey(Freeze, on_delete=models.PROTECT, related_name="exceptions")
    request = models.ForeignKey(
        "approvals.ActionRequest", on_delete=models.PROTECT, related_name="freeze_exceptions"
    )
    by = models.CharField(max_length=200)
    because = models.CharField(max_length=300)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["freeze", "request"], name="one_exception_for_each_request"),
        ]

    def __str__(self) -> str:
        return f"exception of request {self.request_id}"


class BreakGlass(models.Model):
    """One hour in which a named holder may decide alone. It asks for a review that they cannot give."""

    holder = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="broken_glass"
    )
    reason = models.TextField()
    began_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    reviewed_at = models.DateTimeField(null=True, blank=True)
    review = models.TextField(blank=True, default="")

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.CheckConstraint(
                condition=Q(reviewed_by=None) | ~Q(reviewed_by=F("holder")),
                name="nobody_reviews_their_own_glass",
            ),
        ]

    def __str__(self) -> str:
        return f"break-glass of {self.began_at}"
