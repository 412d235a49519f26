"""A proposed production write and what people decided about it."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from approvals.states import LOCKING, OPEN, Choice, Risk, State, Verification

NOBODY = 0  # in a column that bars a person; no account has this id


class ActionRequest(models.Model):
    """One proposed write. `body` is the canonical text that the page shows, and `digest` its SHA-256.

    The execute worker writes `body` once, when it has read the target; nothing of it changes after that: an
    edit is a new request that names the old one. The three
    people who may not decide stand in columns of their own, which each Decision repeats and is held to.
    """

    incident_id = models.BigIntegerField(null=True, blank=True, db_index=True)
    investigation_id = models.BigIntegerField(null=True, blank=True)
    team_id = models.BigIntegerField(null=True, blank=True)
    action = models.CharField(max_length=80)
    target = models.CharField(max_length=300, help_text="what is locked while the write runs")
    risk = models.CharField(max_length=8, choices=[(r.value, r.value) for r in Risk])
    arguments = models.TextField(default="{}", help_text="as they were proposed, canonical JSON")
    cites = models.TextField(default="[]", help_text="ids of the cited entries, canonical JSON")
    call_digest = models.CharField(
        max_length=64, blank=True, default="", help_text="SHA-256 of action and arguments: equal calls"
    )
    body = models.TextField(blank=True, default="", help_text="empty until it is prepared")
    digest = models.CharField(max_length=64, blank=True, default="")
    reason = models.TextField(help_text="why it is proposed, by whoever proposed it; marked as their words")
    proposed_by = models.CharField(max_length=200, help_text="the actor as the audit log names it")
    proposer = models.BigIntegerField(default=NOBODY, help_text="the person who proposed it")
    editor = models.BigIntegerField(default=NOBODY, help_text="the person who edited it last")
    token_owner = models.BigIntegerField(default=NOBODY, help_text="who owns the token behind the agent")
    state = models.CharField(
        max_length=10, choices=[(s.value, s.value) for s in State], default=State.PROPOSED
    )
    version = models.PositiveIntegerField(default=1)
    outcome = models.TextField(blank=True, default="", help_text="`<gate>: <reason>`, or how it ended")
    verification = models.CharField(
        max_length=10,
        choices=[(v.value, v.value) for v in Verification],
        default=Verification.NOT_YET,
        blank=True,
    )
    verified_how = models.TextField(blank=True, default="")
    replaces = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="replaced_by"
    )
    undoes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="rollback"
    )
    proposed_at = models.DateTimeField()
    prepared_at = models.DateTimeField(
        null=True, blank=True, help_text="when the execute worker had read the target and tried the write dry"
    )
    approved_entry = models.BigIntegerField(
        null=True, blank=True, help_text="the entry that holds every column as it was approved"
    )
    wanted_at = models.DateTimeField(
        null=True, blank=True, help_text="when somebody asked for an approved rollback; other requests: never"
    )
    wanted_by = models.CharField(max_length=200, blank=True, default="")
    sent_at = models.DateTimeField(null=True, blank=True, help_text="when a worker was woken for it last")
    decide_by = models.DateTimeField()
    approved_at = models.DateTimeField(null=True, blank=True)
    execute_by = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["id", "digest", "proposer", "editor", "token_owner"], name="a_decision_names_these"
            ),
            models.UniqueConstraint(
                fields=["target"],
                condition=Q(state__in=[s.value for s in LOCKING]),
                name="one_write_at_a_time_on_a_target",
            ),
            models.CheckConstraint(
                condition=Q(decide_by__gt=F("proposed_at")), name="request_ends_after_it_begins"
            ),
        ]
        indexes = [
            models.Index(
                fields=["state", "decide_by"],
                condition=Q(state__in=[s.value for s in OPEN]),
                name="open_action_requests",
            ),
            models.Index(fields=["call_digest"], name="action_requests_by_call"),
        ]

    def __str__(self) -> str:
        return f"request {self.pk}: {self.action} on {self.target}"


class Decision(models.Model):
    """One person's approve or deny of one request at one digest, and how it was given.

    A composite foreign key (made by the migration) binds digest and barred people to the request's own, and
    a check keeps each barred person out: no view has to be trusted with it.
    """

    request = models.ForeignKey(ActionRequest, on_delete=models.PROTECT, related_name="decisions")
    digest = models.CharField(max_length=64)
    proposer = models.BigIntegerField()
    editor = models.BigIntegerField()
    token_owner = models.BigIntegerField()
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="decisions")
    choice = models.CharField(max_length=8, choices=[(c.value, c.value) for c in Choice])
    group = models.CharField(max_length=40, help_text="the role in which they decided; a quorum counts them")
    reason = models.TextField()
    method = models.CharField(max_length=20, help_text="of the step-up: passkey, totp, ...")
    method_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True, blank=True, help_text="when they first saw the page")
    decided_at = models.DateTimeField()
    glass = models.ForeignKey(
        "approvals.BreakGlass", on_delete=models.PROTECT, null=True, blank=True, related_name="decisions"
    )
    entry = models.BigIntegerField(null=True, blank=True, help_text="the entry that records it")

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(fields=["request", "person"], name="one_decision_per_person"),
            models.CheckConstraint(
                condition=~Q(person=F("proposer")) & ~Q(person=F("editor")) & ~Q(person=F("token_owner")),
                name="nobody_decides_their_own",
            ),
            models.CheckConstraint(condition=~Q(digest=""), name="nobody_decides_the_unprepared"),
        ]

    def __str__(self) -> str:
        return f"{self.choice} of request {self.request_id}"
