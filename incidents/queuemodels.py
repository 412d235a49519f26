"""What the queue keeps beside the incidents: counts, words to find, views, columns, what can be undone."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import Team


class Tally(models.Model):
    """One step of a count, written by a trigger: so many more or fewer incidents of one kind on one shelf.

    A count is the sum of its steps, so that no two writers wait for one row; the sweeper adds steps up.
    """

    team_id = models.BigIntegerField(null=True)
    source_id = models.BigIntegerField()
    kind = models.CharField(max_length=10)
    severity_rank = models.SmallIntegerField()
    shelf = models.CharField(max_length=16)
    count = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "tallies"

    def __str__(self) -> str:
        return f"{self.count:+d} {self.shelf}"


class Said(models.Model):
    """The words of one incident's drafts, notes and found identifiers, kept by triggers for the search."""

    incident = models.BigIntegerField(primary_key=True)

    class Meta:
        verbose_name_plural = "said"

    def __str__(self) -> str:
        return f"words of #{self.pk}"


class SavedView(models.Model):
    """One person's filters under a name, for themselves, for a team, or for everybody."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="queue_views")
    name = models.CharField(max_length=40)
    query = models.CharField(max_length=600, help_text="the address's parameters, without place and row")
    team = models.ForeignKey(
        Team, on_delete=models.CASCADE, null=True, blank=True, related_name="queue_views"
    )
    is_for_all = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("name", "pk")
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="one_view_of_a_name"),
            models.CheckConstraint(
                condition=Q(team__isnull=True) | Q(is_for_all=False), name="view_for_a_team_or_all"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class QueueLook(models.Model):
    """Which columns one person sees in the queue."""

    owner = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="queue_look"
    )
    columns = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"columns of {self.owner_id}"


class QueueAct(models.Model):
    """One act on rows of the queue that its person may take back for some seconds, and how they were."""

    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="queue_acts")
    act = models.CharField(max_length=12)
    words = models.CharField(max_length=200)
    rows = models.JSONField(default=list, help_text="incident, its version since, and its columns before")
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["at"], name="queue_acts_by_time")]

    def __str__(self) -> str:
        return self.words
