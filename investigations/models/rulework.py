"""What is known about rules at work: suspensions, and facts that could not be answered."""

from django.db import models
from django.db.models import Q

from investigations.models.cases import Verdict
from investigations.states import TroubleKind


class RuleSuspension(models.Model):
    """A rule that earns nothing until an administrator lifts the suspension."""

    rule = models.CharField(max_length=120)
    because = models.CharField(max_length=300)
    made_by = models.CharField(max_length=200, help_text="person:NAME, or the code that did it")
    made_at = models.DateTimeField()
    lifted_by = models.CharField(max_length=200, blank=True, default="")
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_because = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["rule"], condition=Q(lifted_at=None), name="one_standing_suspension_per_rule"
            ),
        ]

    def __str__(self) -> str:
        return f"suspension of {self.rule}"


class FactTrouble(models.Model):
    """One fact that could not be answered in one verdict: a field missing, of another type, or else."""

    verdict = models.ForeignKey(Verdict, on_delete=models.PROTECT, related_name="troubles")
    rule = models.CharField(max_length=120)
    fact = models.CharField(max_length=120)
    tool = models.CharField(max_length=120)
    path = models.CharField(
        max_length=200, blank=True, default="", help_text="of the field, where one is named"
    )
    kind = models.CharField(max_length=12, choices=[(t.value, t.value) for t in TroubleKind])
    created_at = models.DateTimeField()
    opened_incident = models.BooleanField(default=False, help_text="it was this one that told of a drift")

    class Meta:
        indexes = [models.Index(fields=["rule", "created_at"], name="fact_troubles_by_rule")]

    def __str__(self) -> str:
        return f"{self.rule}.{self.fact}: {self.kind}"
