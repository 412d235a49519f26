"""Entries and payloads, for reading. The tables are made by SQL; rows come in through audit.writing alone."""

from django.db import models


class Entry(models.Model):
    """One row of the audit log: its canonical envelope as stored text, with the leaf hash over it."""

    id = models.BigIntegerField(primary_key=True)
    recorded_at = models.DateTimeField()
    kind = models.TextField()
    actor = models.TextField()
    incident = models.BigIntegerField(null=True)
    investigation = models.BigIntegerField(null=True)
    canonical = models.TextField()
    leaf = models.BinaryField()

    class Meta:
        managed = False
        db_table = "audit_entry"
        verbose_name_plural = "entries"

    def __str__(self) -> str:
        return f"entry {self.pk} {self.kind}"


class Payload(models.Model):
    """What an entry records in full, with the salt of its commitment. A body that is null was erased."""

    entry = models.BigIntegerField(primary_key=True)
    salt = models.BinaryField(null=True)
    body = models.TextField(null=True)  # noqa: DJ001 null says erased, which an empty text would not

    class Meta:
        managed = False
        db_table = "audit_payload"

    def __str__(self) -> str:
        return f"payload of entry {self.pk}"


class Checkpoint(models.Model):
    """The log at one size: its root, and the signed note that says so."""

    id = models.BigIntegerField(primary_key=True)
    size = models.BigIntegerField()
    root = models.BinaryField()
    note = models.TextField()

    class Meta:
        managed = False
        db_table = "audit_checkpoint"

    def __str__(self) -> str:
        return f"checkpoint of size {self.size}"
