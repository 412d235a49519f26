"""What people leave on an incident's page: notes, edited drafts, checks of an answer, overrides."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import User

_PERSON = settings.AUTH_USER_MODEL


class Note(models.Model):
    """One note of a person. It is never changed; what was wrong is put right by the next one."""

    incident = models.ForeignKey("incidents.Incident", on_delete=models.PROTECT, related_name="notes")
    by = models.ForeignKey(_PERSON, on_delete=models.PROTECT, related_name="notes")
    text = models.TextField()
    mentioned: "models.ManyToManyField[User, models.Model]" = models.ManyToManyField(
        _PERSON, related_name="mentions", blank=True
    )
    once = models.CharField(
        max_length=64, unique=True, help_text="of the form and its text: sent twice, kept once"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"note {self.pk} on #{self.incident_id}"


class DraftEdit(models.Model):
    """One kept state of the answer that people write. The draft that it began from stays as it was."""

    incident = models.ForeignKey("incidents.Incident", on_delete=models.PROTECT, related_name="draft_edits")
    number = models.PositiveIntegerField(help_text="counts up in its incident")
    draft_id = models.BigIntegerField(null=True, blank=True, help_text="the draft that it began from")
    text = models.TextField(blank=True, default="")
    by = models.ForeignKey(_PERSON, on_delete=models.PROTECT, related_name="draft_edits")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("incident", "number")
        constraints = [
            models.UniqueConstraint(fields=["incident", "number"], name="one_edit_of_a_number"),
        ]

    def __str__(self) -> str:
        return f"edit {self.number} of #{self.incident_id}"


class PersonCheck(models.Model):
    """One recorded question that a person asked again, and the entry of the new answer."""

    of_entry = models.BigIntegerField(help_text="the entry whose question it is")
    incident = models.BigIntegerField(null=True, blank=True)
    by = models.ForeignKey(_PERSON, on_delete=models.PROTECT, related_name="checks")
    once = models.CharField(max_length=64, unique=True, help_text="of the form: sent twice, asked once")
    asked_at = models.DateTimeField()
    entry = models.BigIntegerField(
        null=True, blank=True, help_text="the new answer's; null while it is asked"
    )
    is_same = models.BooleanField(null=True, blank=True, help_text="whether it answered what was recorded")

    class Meta:
        ordering = ("pk",)
        indexes = [
            models.Index(fields=["of_entry"], name="checks_of_an_entry"),
            models.Index(fields=["incident"], name="checks_of_an_incident"),
        ]

    def __str__(self) -> str:
        return f"check of entry {self.of_entry}"


class Override(models.Model):
    """One closing that contradicts the verdict: a labelled case for comparing models and rules later."""

    resolution = models.OneToOneField(
        "incidents.Resolution", on_delete=models.PROTECT, primary_key=True, related_name="override"
    )
    incident = models.ForeignKey("incidents.Incident", on_delete=models.PROTECT, related_name="overrides")
    verdict_id = models.BigIntegerField(null=True, blank=True)
    hypothesis = models.CharField(max_length=120, blank=True, default="")
    verdict_passed = models.BooleanField()
    actual = models.CharField(max_length=16, help_text="what the closing says was so")
    table_version = models.PositiveSmallIntegerField(help_text="of the table that maps outcomes to it")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("-pk",)
        indexes = [models.Index(fields=["hypothesis", "-created_at"], name="overrides_of_a_rule")]

    def __str__(self) -> str:
        return f"override of #{self.incident_id}"


class HumanLabel(models.Model):
    """The label that a person gave an issue as they closed it, beside what a model had said."""

    resolution = models.OneToOneField(
        "incidents.Resolution", on_delete=models.PROTECT, primary_key=True, related_name="human_label"
    )
    incident = models.ForeignKey("incidents.Incident", on_delete=models.PROTECT, related_name="human_labels")
    label = models.CharField(max_length=20)
    label_set = models.CharField(max_length=20, help_text="the version of the set that it was chosen from")
    model_label = models.CharField(
        max_length=20, blank=True, default="", help_text="empty where it gave none"
    )
    classified_id = models.BigIntegerField(null=True, blank=True, help_text="the classification before them")
    is_override = models.BooleanField(help_text="the model had given another")
    by = models.ForeignKey(_PERSON, on_delete=models.PROTECT, related_name="human_labels")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        indexes = [
            models.Index(fields=["incident", "-resolution"], name="labels_of_an_incident"),
            models.Index(fields=["created_at"], name="labels_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.label} for #{self.incident_id}"


class SelfClosing(models.Model):
    """One standing leave of an administrator that passes of one version of a rule close by themselves."""

    rule = models.CharField(max_length=120)
    rule_version = models.PositiveIntegerField(help_text="a changed rule needs a new leave")
    because = models.CharField(max_length=300)
    made_by = models.CharField(max_length=200)
    made_at = models.DateTimeField()
    ended_by = models.CharField(max_length=200, blank=True, default="")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["rule"], condition=Q(ended_at=None), name="one_leave_to_close_a_rule"
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None, ended_by="") | (Q(ended_at__isnull=False) & ~Q(ended_by="")),
                name="leave_ended_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rule} {self.rule_version} may close"


class Opening(models.Model):
    """When somebody who moves incidents first opened the page of one; or that it was closed before that."""

    incident = models.OneToOneField(
        "incidents.Incident", on_delete=models.CASCADE, primary_key=True, related_name="opening"
    )
    at = models.DateTimeField()
    is_closing = models.BooleanField(default=False, help_text="it was closed, and nobody had opened it")

    class Meta:
        indexes = [
            models.Index(fields=["at"], condition=Q(is_closing=True), name="closed_unopened"),
        ]

    def __str__(self) -> str:
        return f"opening of #{self.incident_id}"
