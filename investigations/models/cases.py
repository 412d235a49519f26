"""What a run ends in: a case, its verdict, a draft."""

from django.db import models

from investigations.models.runs import Investigation
from investigations.states import RubricResult


class Case(models.Model):
    """What was judged, frozen: the canonical JSON of a verdicts Case with every entry of the run."""

    investigation = models.ForeignKey(Investigation, on_delete=models.PROTECT, related_name="cases")
    body = models.TextField()
    digest = models.CharField(max_length=64)
    judged_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"case {self.pk}"


class Verdict(models.Model):
    """One verdict over one Case. An investigation has one or more; the last counts."""

    case = models.OneToOneField(Case, on_delete=models.PROTECT, related_name="verdict")
    investigation = models.ForeignKey(Investigation, on_delete=models.PROTECT, related_name="verdicts")
    passed = models.BooleanField()
    hypothesis = models.CharField(max_length=120)
    reason = models.TextField()
    body = models.TextField(help_text="canonical JSON of the verdict: every fact's outcome and reason")
    rulebook_digest = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{'pass' if self.passed else 'fail'}: {self.hypothesis}"


class Draft(models.Model):
    """The answer that a person starts from, written for one Verdict: markdown with citations."""

    investigation = models.ForeignKey(Investigation, on_delete=models.PROTECT, related_name="drafts")
    verdict = models.OneToOneField(Verdict, on_delete=models.PROTECT, related_name="draft")
    text = models.TextField(help_text="as people see it: what could not be shown is struck through or marked")
    written_by = models.CharField(max_length=20, default="code", help_text="code, model or external")
    rubric_result = models.CharField(
        max_length=24,
        blank=True,
        default="",
        choices=[(r.value, r.value) for r in RubricResult],
        help_text="how its grading ended; empty where no rubric was given",
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"draft {self.pk}"
