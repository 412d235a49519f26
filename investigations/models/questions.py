"""What people ask about an incident, and how it was answered."""

from django.db import models
from django.db.models import Q

from investigations.states import Asking


class Question(models.Model):
    """One question of a person in an incident's thread, and its answer.

    `attempt` is the lease's fencing number, as an investigation's is: every write of a worker says
    `WHERE attempt = …`. What tools answered meanwhile are entries of the incident, of no investigation:
    a question asked out of interest is no evidence of a run.
    """

    incident_id = models.BigIntegerField(db_index=True)
    asked_by = models.CharField(max_length=200, help_text="person:NAME")
    text = models.TextField()
    subject = models.TextField(help_text="canonical JSON of the frozen Subject")
    state = models.CharField(
        max_length=12, choices=[(s.value, s.value) for s in Asking], default=Asking.QUEUED
    )
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(blank=True, default="")
    citations = models.TextField(blank=True, default="[]", help_text="canonical JSON: each id, its standing")
    reason = models.TextField(blank=True, default="", help_text="why there is no answer, or what it lacks")
    calls = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    micros = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["incident_id", "asked_by"],
                condition=Q(state__in=["queued", "running"]),
                name="one_open_question_a_person",
            ),
        ]
        indexes = [
            models.Index(
                fields=["state", "lease_until"],
                condition=Q(state__in=["queued", "running"]),
                name="open_questions",
            ),
        ]

    def __str__(self) -> str:
        return f"question {self.pk} about incident {self.incident_id}"


class AskTurn(models.Model):
    """One turn on the way to an answer: what the model wished for or said, or what a tool answered."""

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="turns")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)
    body = models.TextField(help_text="canonical JSON, secrets masked")
    entry = models.BigIntegerField(null=True, blank=True, help_text="of the tool call")
    exchange = models.BigIntegerField(null=True, blank=True, help_text="of the model's reply")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(fields=["question", "number"], name="ask_turns_are_numbered"),
        ]

    def __str__(self) -> str:
        return f"turn {self.number} of question {self.question_id}"
