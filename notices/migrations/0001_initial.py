"""Who is told of what, what they were told, and what became of each message."""

from django.conf import settings
from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="Route",
        fields=[
            _KEY,
            ("title", models.CharField(max_length=80)),
            (
                "kind",
                models.CharField(
                    choices=[(each, each) for each in ("on-call", "team", "email", "webhook", "person")],
                    max_length=8,
                ),
            ),
            (
                "team",
                models.ForeignKey(
                    blank=True, null=True, on_delete=models.PROTECT, related_name="routes", to="accounts.team"
                ),
            ),
            (
                "person",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="routes",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "address",
                models.TextField(blank=True, default="", help_text="mail addresses, or a webhook's URL"),
            ),
            ("events", models.JSONField(default=list)),
            (
                "least_rank",
                models.SmallIntegerField(default=7, help_text="the least severe that is told; 7: all"),
            ),
            (
                "wait_minutes",
                models.PositiveIntegerField(default=0, help_text="told only if it still waits then"),
            ),
            (
                "repeat_minutes",
                models.PositiveIntegerField(default=0, help_text="told again while it waits; 0: never"),
            ),
            ("nonce", models.CharField(blank=True, default="", max_length=64)),
            ("previous_nonce", models.CharField(blank=True, default="", max_length=64)),
            ("previous_until", models.DateTimeField(blank=True, null=True)),
            ("made_by", models.CharField(max_length=200)),
            ("made_at", models.DateTimeField()),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
            ("ended_because", models.CharField(blank=True, default="", max_length=300)),
        ],
        options={
            "ordering": ("pk",),
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("ended_at", None)), fields=("person",), name="one_route_for_a_person"
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("kind", "person"), ("person__isnull", False)),
                        models.Q(models.Q(("kind", "person"), _negated=True), ("person", None)),
                        _connector="OR",
                    ),
                    name="a_person_on_a_persons_route",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Notice",
        fields=[
            _KEY,
            (
                "event",
                models.CharField(
                    choices=[
                        (each, each)
                        for each in (
                            "incident.needs_person",
                            "request.proposed",
                            "request.expiring",
                            "request.expired",
                            "request.executed",
                            "request.failed",
                            "request.unknown",
                            "glass.broken",
                            "note.mentioned",
                            "notice.test",
                        )
                    ],
                    max_length=30,
                ),
            ),
            ("about", models.CharField(help_text="incident, request, or route for a test", max_length=20)),
            ("about_id", models.BigIntegerField()),
            ("team_id", models.BigIntegerField(blank=True, null=True)),
            ("severity", models.CharField(blank=True, default="", max_length=20)),
            ("title", models.CharField(max_length=300)),
            ("words", models.TextField(blank=True, default="")),
            ("path", models.CharField(help_text="the page it leads to, without the host", max_length=200)),
            ("created_at", models.DateTimeField()),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ("-pk",),
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("ended_at", None)),
                    fields=("about", "about_id", "event"),
                    name="told_of_once",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="Message",
        fields=[
            _KEY,
            (
                "notice",
                models.ForeignKey(on_delete=models.PROTECT, related_name="messages", to="notices.notice"),
            ),
            (
                "route",
                models.ForeignKey(on_delete=models.PROTECT, related_name="messages", to="notices.route"),
            ),
            ("address", models.CharField(max_length=500)),
            (
                "round",
                models.PositiveSmallIntegerField(
                    default=0, help_text="how often this address was told before"
                ),
            ),
            (
                "key",
                models.CharField(help_text="the same whenever it is tried again", max_length=40, unique=True),
            ),
            (
                "state",
                models.CharField(
                    choices=[(each, each) for each in ("waiting", "sent", "failed", "dropped")],
                    default="waiting",
                    max_length=8,
                ),
            ),
            ("due_at", models.DateTimeField()),
            ("claimed_until", models.DateTimeField(blank=True, null=True)),
            ("tries", models.PositiveSmallIntegerField(default=0)),
            (
                "said",
                models.CharField(blank=True, default="", help_text="how the last try ended", max_length=300),
            ),
            ("tried_at", models.DateTimeField(blank=True, null=True)),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "ordering": ("-pk",),
            "indexes": [
                models.Index(
                    condition=models.Q(("state", "waiting")), fields=["due_at"], name="messages_to_send"
                ),
                models.Index(fields=["address", "-tried_at"], name="messages_of_an_address"),
            ],
            "constraints": [
                models.UniqueConstraint(
                    fields=("notice", "route", "address", "round"), name="one_message_in_a_round"
                )
            ],
        },
    ),
]


class Migration(migrations.Migration):
    initial = True
    # So that a database that had them all goes on without work.
    replaces = [
        ("notices", "0001_routes_and_messages"),
        ("notices", "0002_named_in_a_note"),
    ]
    dependencies = [("accounts", "0001_initial"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    operations = TABLES
