"""Golden sets: versions of labelled issues, and the rows of each."""

from django.db import models
from django.db.models import Q

from trials.states import Origin


class GoldenSet(models.Model):
    """One version of a named golden set. Once frozen it is never changed: the next version takes over."""

    name = models.SlugField(max_length=60)
    version = models.PositiveIntegerField(help_text="counts up in its name")
    contract = models.CharField(max_length=40, help_text="the version whose labels its rows have")
    digest = models.CharField(
        max_length=64, blank=True, default="", help_text="of its confirmed rows, once frozen"
    )
    created_by = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    frozen_by = models.CharField(max_length=200, blank=True, default="")
    frozen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("name", "version")
        constraints = [
            models.UniqueConstraint(fields=["name", "version"], name="one_golden_set_of_a_version"),
            models.UniqueConstraint(
                fields=["name"], condition=Q(frozen_at=None), name="one_open_version_of_a_golden_set"
            ),
            models.CheckConstraint(
                condition=Q(frozen_at=None, digest="", frozen_by="")
                | (Q(frozen_at__isnull=False) & ~Q(digest="") & ~Q(frozen_by="")),
                name="golden_set_frozen_with_its_digest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


class GoldenRow(models.Model):
    """One labelled issue of a version; a candidate until a person confirms it. Its text is masked."""

    of = models.ForeignKey(GoldenSet, on_delete=models.PROTECT, related_name="rows")
    row_id = models.CharField(max_length=200)
    label = models.CharField(max_length=40)
    title = models.TextField()
    body = models.TextField(blank=True, default="")
    target = models.CharField(max_length=200, blank=True, default="")
    hard = models.TextField(blank=True, default="", help_text="why people may differ about it")
    origin = models.CharField(max_length=10, choices=[(each.value, each.value) for each in Origin])
    incident_id = models.BigIntegerField(null=True, blank=True, help_text="the closed item that it is of")
    is_frozen = models.BooleanField(default=False, help_text="part of every later version")
    written_at = models.DateTimeField(help_text="when the issue came in, or the row was loaded")
    confirmed_by = models.CharField(max_length=200, blank=True, default="")
    confirmed_at = models.DateTimeField(null=True, blank=True)
    dropped_by = models.CharField(
        max_length=200,
        blank=True,
        default="",
        help_text="whoever did not want it; it stays out",
    )

    class Meta:
        ordering = ("of", "pk")
        constraints = [
            models.UniqueConstraint(fields=["of", "row_id"], name="one_golden_row_of_an_id"),
            models.CheckConstraint(
                condition=Q(confirmed_at=None, confirmed_by="")
                | (Q(confirmed_at__isnull=False) & ~Q(confirmed_by="")),
                name="golden_row_confirmed_by_somebody",
            ),
            models.CheckConstraint(
                condition=Q(dropped_by="") | Q(confirmed_at=None), name="golden_row_confirmed_or_dropped"
            ),
        ]

    def __str__(self) -> str:
        return f"golden row {self.row_id}"
