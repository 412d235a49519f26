"""What deliveries fold into: the incident with its signals and identifiers, and how it was closed."""

from django.conf import settings
from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="Incident",
        fields=[
            _KEY,
            (
                "source",
                models.ForeignKey(on_delete=models.PROTECT, related_name="incidents", to="incidents.source"),
            ),
            (
                "team",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="incidents",
                    to="accounts.team",
                ),
            ),
            ("kind", models.CharField(max_length=10)),
            ("sender_key", models.CharField(max_length=200)),
            ("title", models.CharField(max_length=300)),
            ("severity", models.CharField(default="unknown", max_length=20)),
            ("labels", models.JSONField(default=dict)),
            ("annotations", models.JSONField(default=dict)),
            (
                "identifiers",
                models.JSONField(
                    default=dict,
                    help_text="what rules may ask about, from the sender's fields; see Identifier for the rest",
                ),
            ),
            (
                "state",
                models.CharField(
                    choices=[(each, each) for each in ("open", "investigating", "review", "closed")],
                    default="open",
                    max_length=14,
                ),
            ),
            ("started_at", models.DateTimeField(help_text="as the sender says, else when received")),
            ("sender_clock_note", models.CharField(blank=True, default="", max_length=200)),
            ("first_received_at", models.DateTimeField()),
            ("last_received_at", models.DateTimeField()),
            ("signal_count", models.PositiveIntegerField(default=0)),
            ("flap_count", models.PositiveIntegerField(default=0)),
            (
                "not_shown_count",
                models.PositiveIntegerField(default=0, help_text="alerts that the sender cut off"),
            ),
            ("recovered_at", models.DateTimeField(blank=True, null=True)),
            ("episode_at", models.DateTimeField(help_text="the newest start that a firing has named")),
            (
                "resolved_episode_at",
                models.DateTimeField(
                    blank=True, help_text="the newest start that a resolve has named", null=True
                ),
            ),
            ("snoozed_until", models.DateTimeField(blank=True, null=True)),
            (
                "assignee",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="incidents",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("acknowledged_at", models.DateTimeField(blank=True, null=True)),
            ("closed_at", models.DateTimeField(blank=True, null=True)),
            (
                "previous",
                models.ForeignKey(
                    blank=True,
                    help_text="the closed one before",
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="later",
                    to="incidents.incident",
                ),
            ),
            (
                "version",
                models.PositiveIntegerField(default=0, help_text="grows with every move; forms send it back"),
            ),
            ("verdict_passed", models.BooleanField(blank=True, null=True)),
            ("hypothesis", models.CharField(blank=True, default="", max_length=120)),
            ("verdict_reason", models.TextField(blank=True, default="")),
            ("shelf", models.CharField(db_default="", default="", editable=False, max_length=16)),
            ("severity_rank", models.SmallIntegerField(db_default=7, default=7, editable=False)),
        ],
        options={
            "indexes": [
                models.Index(fields=["state", "-last_received_at", "-id"], name="incidents_by_state"),
                models.Index(fields=["source", "sender_key", "-id"], name="incidents_by_key"),
                models.Index(
                    condition=models.Q(("acknowledged_at", None), ("state", "review")),
                    fields=["first_received_at"],
                    name="drafts_unacknowledged",
                ),
                models.Index(
                    fields=["shelf", "-last_received_at", "-id"],
                    include=("team", "source", "assignee", "kind", "severity_rank"),
                    name="queue_newest",
                ),
                models.Index(
                    fields=["shelf", "started_at", "id"],
                    include=("team", "source", "assignee", "kind", "severity_rank"),
                    name="queue_oldest",
                ),
                models.Index(
                    fields=["shelf", "severity_rank", "-last_received_at", "-id"],
                    include=("team", "source", "assignee", "kind"),
                    name="queue_severe",
                ),
                models.Index(
                    condition=models.Q(("assignee__isnull", False)),
                    fields=["assignee", "shelf", "-last_received_at", "-id"],
                    include=("team", "source", "kind", "severity_rank"),
                    name="queue_by_person",
                ),
                models.Index(
                    condition=models.Q(("severity_rank", 7)),
                    fields=["severity", "shelf", "-last_received_at", "-id"],
                    name="queue_of_other_severity",
                ),
            ],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("state", "closed"), _negated=True),
                    fields=("source", "sender_key"),
                    name="one_open_incident_per_key",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="Signal",
        fields=[
            _KEY,
            (
                "delivery",
                models.ForeignKey(on_delete=models.PROTECT, related_name="signals", to="incidents.delivery"),
            ),
            (
                "incident",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="signals",
                    to="incidents.incident",
                ),
            ),
            ("position", models.PositiveIntegerField(help_text="its place in the delivery")),
            (
                "event",
                models.CharField(
                    choices=[(each, each) for each in ("firing", "resolved", "comment")], max_length=10
                ),
            ),
            ("sender_key", models.CharField(max_length=200)),
            ("title", models.CharField(max_length=300)),
            ("severity", models.CharField(default="unknown", max_length=20)),
            ("labels", models.JSONField(default=dict)),
            ("annotations", models.JSONField(default=dict)),
            ("identifiers", models.JSONField(default=dict)),
            ("text", models.TextField(blank=True, default="")),
            ("link", models.TextField(blank=True, default="")),
            ("starts_at", models.DateTimeField(blank=True, null=True)),
            ("ends_at", models.DateTimeField(blank=True, null=True)),
            ("received_at", models.DateTimeField()),
            (
                "effect",
                models.CharField(
                    choices=[
                        (each, each)
                        for each in ("opened", "repeated", "recovered", "refired", "resolved-only", "stale")
                    ],
                    max_length=20,
                ),
            ),
        ],
        options={
            "indexes": [
                models.Index(
                    condition=models.Q(("effect", "resolved-only")),
                    fields=["sender_key"],
                    name="resolves_without_incident",
                )
            ],
            "constraints": [
                models.UniqueConstraint(fields=("delivery", "position"), name="one_signal_per_position")
            ],
        },
    ),
    migrations.CreateModel(
        name="Identifier",
        fields=[
            _KEY,
            (
                "incident",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="found_identifiers", to="incidents.incident"
                ),
            ),
            ("name", models.CharField(max_length=60)),
            ("value", models.CharField(max_length=200)),
            (
                "origin",
                models.CharField(
                    choices=[(each, each) for each in ("pattern", "person", "model")], max_length=8
                ),
            ),
            ("named_by", models.CharField(max_length=200)),
            ("named_at", models.DateTimeField()),
            ("confirmed_by", models.CharField(blank=True, default="", max_length=200)),
            ("confirmed_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={"ordering": ("pk",)},
    ),
    migrations.CreateModel(
        name="Resolution",
        fields=[
            _KEY,
            (
                "incident",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="resolutions", to="incidents.incident"
                ),
            ),
            (
                "outcome",
                models.CharField(
                    choices=[
                        (each, each)
                        for each in (
                            "harmless",
                            "real and fixed",
                            "real and handed over",
                            "duplicate of",
                            "not reproducible",
                            "claim upheld",
                            "claim refused",
                        )
                    ],
                    max_length=24,
                ),
            ),
            ("answer", models.TextField(blank=True, default="")),
            ("reason", models.TextField(blank=True, default="")),
            ("contradicts_verdict", models.BooleanField(default=False)),
            (
                "duplicate_of",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="duplicates",
                    to="incidents.incident",
                ),
            ),
            ("verdict_id", models.BigIntegerField(blank=True, null=True)),
            ("draft_id", models.BigIntegerField(blank=True, null=True)),
            (
                "by",
                models.ForeignKey(
                    blank=True,
                    help_text="null for a pass that closed by itself",
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="resolutions",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("by_rule", models.CharField(blank=True, default="", max_length=120)),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "ordering": ("pk",),
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("by__isnull", False), ("by_rule", "")),
                        models.Q(("by__isnull", True), models.Q(("by_rule", ""), _negated=True)),
                        _connector="OR",
                    ),
                    name="closed_by_a_person_or_a_rule",
                )
            ],
        },
    ),
]
