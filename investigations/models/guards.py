"""What stands beside a draft: its ids and figures as they were checked, what a critic and a grader said."""

from django.db import models

from investigations.models.cases import Draft
from investigations.models.runs import Investigation
from investigations.states import CitationState, RubricResult


class Citation(models.Model):
    """One id in a draft, and whether it names something: looked up once, however often it stands there."""

    draft = models.ForeignKey(Draft, on_delete=models.PROTECT, related_name="citations")
    kind = models.CharField(max_length=40, help_text="entry, trace, or a kind that the deployment declares")
    text = models.CharField(max_length=200, help_text="as the draft writes it first")
    value = models.CharField(max_length=200, help_text="in the one form by which it is looked up")
    state = models.CharField(max_length=10, choices=[(s.value, s.value) for s in CitationState])
    reason = models.CharField(max_length=400, blank=True, default="")
    entry = models.BigIntegerField(
        null=True, blank=True, help_text="that names it, or by which it was not found"
    )
    link = models.CharField(max_length=500, blank=True, default="", help_text="of a verified one alone")

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(fields=["draft", "kind", "value"], name="one_citation_per_id_of_a_draft"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.value}: {self.state}"


class Figure(models.Model):
    """One number in a draft that stands in no entry that the draft cites."""

    draft = models.ForeignKey(Draft, on_delete=models.PROTECT, related_name="figures")
    text = models.CharField(max_length=60, help_text="as the draft writes it")

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.text


class Objection(models.Model):
    """One hole that a critic sees in the case of a run. Shown beside the findings; it decides nothing.

    With a `refutation` it goes to the rule as well, which checks its entries by itself.
    """

    investigation = models.ForeignKey(Investigation, on_delete=models.PROTECT, related_name="objections")
    attempt = models.PositiveIntegerField()
    about = models.CharField(
        max_length=120, blank=True, default="", help_text="the fact, where it is about one"
    )
    refutation = models.CharField(
        max_length=120, blank=True, default="", help_text="of the rule, where it is one"
    )
    entry = models.BigIntegerField()
    says = models.TextField(blank=True)
    endpoint = models.CharField(max_length=60, blank=True, default="")
    model = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"objection {self.pk} of investigation {self.investigation_id}"


class RubricEvaluation(models.Model):
    """One grading of one draft: saved at once, so that a run that is interrupted goes on from it."""

    investigation = models.ForeignKey(Investigation, on_delete=models.PROTECT, related_name="evaluations")
    attempt = models.PositiveIntegerField()
    iteration = models.PositiveIntegerField()
    result = models.CharField(max_length=24, choices=[(r.value, r.value) for r in RubricResult])
    explanation = models.TextField(blank=True, default="")
    criteria = models.JSONField(help_text="each criterion's id and text, whether it is met, and the gap")
    rubric_digest = models.CharField(max_length=64)
    prompt_digest = models.CharField(max_length=64, blank=True, default="")
    endpoint = models.CharField(max_length=60, blank=True, default="")
    model = models.CharField(max_length=200, blank=True, default="")
    draft = models.TextField(help_text="as it was graded")
    draft_digest = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["investigation", "rubric_digest", "iteration"], name="one_grading_per_iteration"
            ),
        ]

    def __str__(self) -> str:
        return f"grading {self.iteration} of investigation {self.investigation_id}: {self.result}"
