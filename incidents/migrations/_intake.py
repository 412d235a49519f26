"""What comes in: the places that incidents come from, and each delivery as it was received."""

from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="Source",
        fields=[
            _KEY,
            ("slug", models.SlugField(max_length=60, unique=True)),
            ("title", models.CharField(max_length=120)),
            ("adapter", models.CharField(max_length=20)),
            (
                "team",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="sources",
                    to="accounts.team",
                ),
            ),
            (
                "secret_digest",
                models.CharField(help_text="SHA-256 of a secret of 256 random bits", max_length=64),
            ),
            ("next_secret_digest", models.CharField(blank=True, default="", max_length=64)),
            ("is_active", models.BooleanField(default=True)),
            (
                "every_seconds",
                models.PositiveIntegerField(blank=True, help_text="heartbeat: one is due each", null=True),
            ),
            ("grace_seconds", models.PositiveIntegerField(default=30)),
            ("last_seen_at", models.DateTimeField(blank=True, null=True)),
            (
                "silent_since_at",
                models.DateTimeField(
                    blank=True, help_text="heartbeat: when the beat was due that has not come", null=True
                ),
            ),
            ("oversized_count", models.PositiveIntegerField(default=0)),
            ("oversized_last_bytes", models.BigIntegerField(blank=True, null=True)),
            ("oversized_last_sender", models.CharField(blank=True, default="", max_length=64)),
            (
                "patterns",
                models.JSONField(
                    blank=True,
                    default=dict,
                    help_text="identifiers found in the text: a name and a pattern for each",
                ),
            ),
            (
                "rubric",
                models.TextField(
                    blank=True,
                    default="",
                    help_text="what drafts of its incidents are graded by: a criterion on each line",
                ),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={"ordering": ("slug",)},
    ),
    migrations.CreateModel(
        name="Delivery",
        fields=[
            _KEY,
            (
                "source",
                models.ForeignKey(on_delete=models.PROTECT, related_name="deliveries", to="incidents.source"),
            ),
            ("body", models.BinaryField()),
            ("headers", models.JSONField(default=dict)),
            ("sender", models.CharField(blank=True, default="", max_length=64)),
            (
                "sender_id",
                models.CharField(
                    blank=True,
                    db_default="",
                    default="",
                    help_text="the sender's id of the delivery",
                    max_length=100,
                ),
            ),
            ("received_at", models.DateTimeField()),
            (
                "state",
                models.CharField(
                    choices=[(each, each) for each in ("received", "folded", "parked")],
                    default="received",
                    max_length=10,
                ),
            ),
            (
                "condition",
                models.CharField(
                    blank=True,
                    choices=[(each, each) for each in ("whole", "partial", "unreadable", "empty")],
                    default="",
                    max_length=12,
                ),
            ),
            ("notes", models.JSONField(default=list, help_text="what could not be read, in sentences")),
            ("folded_at", models.DateTimeField(blank=True, null=True)),
            ("tries", models.PositiveSmallIntegerField(default=0)),
            (
                "next_try_at",
                models.DateTimeField(
                    blank=True, help_text="when the sweeper sends it to be folded (again)", null=True
                ),
            ),
        ],
        options={
            "verbose_name_plural": "deliveries",
            "ordering": ("-received_at", "-pk"),
            "indexes": [
                models.Index(
                    condition=models.Q(("state", "received")),
                    fields=["next_try_at"],
                    name="deliveries_to_fold",
                ),
                models.Index(fields=["-received_at", "-id"], name="deliveries_newest"),
                models.Index(fields=["source", "-received_at", "-id"], name="deliveries_of_a_source"),
                models.Index(
                    condition=models.Q(("state", "folded"), _negated=True),
                    fields=["state", "-received_at", "-id"],
                    name="deliveries_unfolded",
                ),
                models.Index(
                    condition=models.Q(("condition", ""), _negated=True),
                    fields=["condition", "-received_at", "-id"],
                    name="deliveries_in_condition",
                ),
            ],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("sender_id", ""), _negated=True),
                    fields=("source", "sender_id"),
                    name="one_delivery_per_sender_id",
                )
            ],
        },
    ),
]
