"""What comes in (sources, deliveries, signals), what is triaged (incidents), how it ended (resolutions)."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import Team
from incidents.deskmodels import DraftEdit, HumanLabel, Note, Opening, Override, PersonCheck, SelfClosing
from incidents.figuremodels import (
    AgentDay,
    PassAudit,
    Record,
    Recount,
    RuleTally,
    SpanSum,
    StaleIncident,
    StampEdit,
)
from incidents.queuemodels import QueueAct, QueueLook, Said, SavedView, Tally
from incidents.states import Condition, DeliveryState, Effect, Event, Origin, Outcome, State

__all__ = [
    "AgentDay",
    "Delivery",
    "DraftEdit",
    "HumanLabel",
    "Identifier",
    "Incident",
    "Note",
    "Opening",
    "Override",
    "PassAudit",
    "PersonCheck",
    "QueueAct",
    "QueueLook",
    "Record",
    "Recount",
    "Resolution",
    "RuleTally",
    "Said",
    "SavedView",
    "SelfClosing",
    "Signal",
    "Source",
    "SpanSum",
    "StaleIncident",
    "StampEdit",
    "Tally",
]

# What the queue filters by rides along, so that a page is found without a look at the rows themselves.
_BESIDE = ("team", "source", "assignee", "kind", "severity_rank")
SHELF_INDEXES = [
    models.Index(fields=["shelf", "-last_received_at", "-id"], include=_BESIDE, name="queue_newest"),
    models.Index(fields=["shelf", "started_at", "id"], include=_BESIDE, name="queue_oldest"),
    models.Index(
        fields=["shelf", "severity_rank", "-last_received_at", "-id"],
        include=_BESIDE[:-1],
        name="queue_severe",
    ),
    models.Index(
        fields=["assignee", "shelf", "-last_received_at", "-id"],
        include=("team", "source", "kind", "severity_rank"),
        condition=Q(assignee__isnull=False),
        name="queue_by_person",
    ),
    # Words that a sender has for a severity and the ranks do not know.
    models.Index(
        fields=["severity", "shelf", "-last_received_at", "-id"],
        condition=Q(severity_rank=7),
        name="queue_of_other_severity",
    ),
]


class Source(models.Model):
    """A configured place that incidents come from. Its secrets are kept as hashes only."""

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120)
    adapter = models.CharField(max_length=20)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, null=True, blank=True, related_name="sources")
    secret_digest = models.CharField(max_length=64, help_text="SHA-256 of a secret of 256 random bits")
    next_secret_digest = models.CharField(max_length=64, blank=True, default="")
    is_active = models.BooleanField(default=True)
    every_seconds = models.PositiveIntegerField(null=True, blank=True, help_text="heartbeat: one is due each")
    grace_seconds = models.PositiveIntegerField(default=30)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    silent_since_at = models.DateTimeField(
        null=True, blank=True, help_text="heartbeat: when the beat was due that has not come"
    )
    oversized_count = models.PositiveIntegerField(default=0)
    oversized_last_bytes = models.BigIntegerField(null=True, blank=True)
    oversized_last_sender = models.CharField(max_length=64, blank=True, default="")
    patterns = models.JSONField(
        default=dict, blank=True, help_text="identifiers found in the text: a name and a pattern for each"
    )
    rubric = models.TextField(
        blank=True,
        default="",
        help_text="what drafts of its incidents are graded by: a criterion on each line",
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("slug",)

    def __str__(self) -> str:
        return self.slug


class Delivery(models.Model):
    """One request as it was received. Committed before it is answered, never changed but for its outcome."""

    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="deliveries")
    body = models.BinaryField()
    headers = models.JSONField(default=dict)
    sender = models.CharField(max_length=64, blank=True, default="")
    sender_id = models.CharField(
        max_length=100, blank=True, default="", db_default="", help_text="the sender's id of the delivery"
    )
    received_at = models.DateTimeField()
    state = models.CharField(
        max_length=10, choices=[(s.value, s.value) for s in DeliveryState], default=DeliveryState.RECEIVED
    )
    condition = models.CharField(
        max_length=12, choices=[(c.value, c.value) for c in Condition], blank=True, default=""
    )
    notes = models.JSONField(default=list, help_text="what could not be read, in sentences")
    folded_at = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(
        null=True, blank=True, help_text="when the sweeper sends it to be folded (again)"
    )

    class Meta:
        verbose_name_plural = "deliveries"
        ordering = ("-received_at", "-pk")
        indexes = [
            models.Index(fields=["next_try_at"], condition=Q(state="received"), name="deliveries_to_fold"),
            models.Index(fields=["-received_at", "-id"], name="deliveries_newest"),
            models.Index(fields=["source", "-received_at", "-id"], name="deliveries_of_a_source"),
            models.Index(
                fields=["state", "-received_at", "-id"],
                condition=~Q(state="folded"),
                name="deliveries_unfolded",
            ),
            models.Index(
                fields=["condition", "-received_at", "-id"],
                condition=~Q(condition=""),
                name="deliveries_in_condition",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["source", "sender_id"], condition=~Q(sender_id=""), name="one_delivery_per_sender_id"
            ),
        ]

    def __str__(self) -> str:
        return f"delivery {self.pk}"


class Incident(models.Model):
    """The thing that is triaged. One for each source and sender's key among those not closed."""

    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="incidents")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, null=True, blank=True, related_name="incidents")
    kind = models.CharField(max_length=10)
    sender_key = models.CharField(max_length=200)
    title = models.CharField(max_length=300)
    severity = models.CharField(max_length=20, default="unknown")
    labels = models.JSONField(default=dict)
    annotations = models.JSONField(default=dict)
    identifiers = models.JSONField(
        default=dict,
        help_text="what rules may ask about, from the sender's fields; see Identifier for the rest",
    )
    state = models.CharField(max_length=14, choices=[(s.value, s.value) for s in State], default=State.OPEN)
    started_at = models.DateTimeField(help_text="as the sender says, else when received")
    sender_clock_note = models.CharField(max_length=200, blank=True, default="")
    first_received_at = models.DateTimeField()
    last_received_at = models.DateTimeField()
    signal_count = models.PositiveIntegerField(default=0)
    flap_count = models.PositiveIntegerField(default=0)
    not_shown_count = models.PositiveIntegerField(default=0, help_text="alerts that the sender cut off")
    recovered_at = models.DateTimeField(null=True, blank=True)
    episode_at = models.DateTimeField(help_text="the newest start that a firing has named")
    resolved_episode_at = models.DateTimeField(
        null=True, blank=True, help_text="the newest start that a resolve has named"
    )
    snoozed_until = models.DateTimeField(null=True, blank=True)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="incidents"
    )
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    previous = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="later",
        help_text="the closed one before",
    )
    version = models.PositiveIntegerField(default=0, help_text="grows with every move; forms send it back")
    # Of the last verdict, kept beside so that the queue reads one table.
    verdict_passed = models.BooleanField(null=True, blank=True)
    hypothesis = models.CharField(max_length=120, blank=True, default="")
    verdict_reason = models.TextField(blank=True, default="")
    # Kept by a trigger, so that the queue finds its rows in an index alone; `words` beside has no field.
    shelf = models.CharField(max_length=16, db_default="", default="", editable=False)
    severity_rank = models.SmallIntegerField(db_default=7, default=7, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["source", "sender_key"],
                condition=~Q(state="closed"),
                name="one_open_incident_per_key",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "-last_received_at", "-id"], name="incidents_by_state"),
            models.Index(fields=["source", "sender_key", "-id"], name="incidents_by_key"),
            models.Index(
                fields=["first_received_at"],
                condition=Q(state="review", acknowledged_at=None),
                name="drafts_unacknowledged",
            ),
            *SHELF_INDEXES,
        ]

    def __str__(self) -> str:
        return f"#{self.pk} {self.title}"


class Signal(models.Model):
    """One firing, resolved or comment event that a Delivery holds."""

    delivery = models.ForeignKey(Delivery, on_delete=models.PROTECT, related_name="signals")
    incident = models.ForeignKey(
        Incident, on_delete=models.PROTECT, null=True, blank=True, related_name="signals"
    )
    position = models.PositiveIntegerField(help_text="its place in the delivery")
    event = models.CharField(max_length=10, choices=[(e.value, e.value) for e in Event])
    sender_key = models.CharField(max_length=200)
    title = models.CharField(max_length=300)
    severity = models.CharField(max_length=20, default="unknown")
    labels = models.JSONField(default=dict)
    annotations = models.JSONField(default=dict)
    identifiers = models.JSONField(default=dict)
    text = models.TextField(blank=True, default="")
    link = models.TextField(blank=True, default="")
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    received_at = models.DateTimeField()
    effect = models.CharField(max_length=20, choices=[(e.value, e.value) for e in Effect])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["delivery", "position"], name="one_signal_per_position")
        ]
        indexes = [
            models.Index(
                fields=["sender_key"], condition=Q(effect="resolved-only"), name="resolves_without_incident"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.sender_key}"


class Identifier(models.Model):
    """An identifier that the sender's fields do not hold: found by a pattern, given by a person or a model.

    One that only a model named earns nothing until a person confirms it.
    """

    incident = models.ForeignKey(Incident, on_delete=models.PROTECT, related_name="found_identifiers")
    name = models.CharField(max_length=60)
    value = models.CharField(max_length=200)
    origin = models.CharField(
        max_length=8, choices=[(o.value, o.value) for o in Origin if o != Origin.SENDER]
    )
    named_by = models.CharField(max_length=200)
    named_at = models.DateTimeField()
    confirmed_by = models.CharField(max_length=200, blank=True, default="")
    confirmed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.name} of #{self.incident_id}"

    @property
    def counts(self) -> bool:
        """Whether rules may ask about it."""
        return self.origin != Origin.MODEL or self.confirmed_at is not None


class Resolution(models.Model):
    """What a person decided at the end, and the answer as it was sent."""

    incident = models.ForeignKey(Incident, on_delete=models.PROTECT, related_name="resolutions")
    outcome = models.CharField(max_length=24, choices=[(o.value, o.value) for o in Outcome])
    answer = models.TextField(blank=True, default="")
    reason = models.TextField(blank=True, default="")
    contradicts_verdict = models.BooleanField(default=False)
    duplicate_of = models.ForeignKey(
        Incident, on_delete=models.PROTECT, null=True, blank=True, related_name="duplicates"
    )
    verdict_id = models.BigIntegerField(null=True, blank=True)
    draft_id = models.BigIntegerField(null=True, blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="resolutions",
        help_text="null for a pass that closed by itself",
    )
    by_rule = models.CharField(max_length=120, blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.CheckConstraint(
                condition=Q(by__isnull=False, by_rule="") | (Q(by__isnull=True) & ~Q(by_rule="")),
                name="closed_by_a_person_or_a_rule",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} for #{self.incident_id}"
