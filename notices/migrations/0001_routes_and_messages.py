"""Keep who is told of what, what they were told, and what became of each message."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import notices.events


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0004_approvals"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "event",
                    models.CharField(
                        choices=[
                            ("incident.needs_person", "incident.needs_person"),
                            ("request.proposed", "request.proposed"),
                            ("request.expiring", "request.expiring"),
                            ("request.expired", "request.expired"),
                            ("request.executed", "request.executed"),
                            ("request.failed", "request.failed"),
                            ("request.unknown", "request.unknown"),
                            ("glass.broken", "glass.broken"),
                            ("notice.test", "notice.test"),
                        ],
                        max_length=30,
                    ),
                ),
                (
                    "about",
                    models.CharField(help_text="incident, request, or route for a test", max_length=20),
                ),
                ("about_id", models.BigIntegerField()),
                ("team_id", models.BigIntegerField(blank=True, null=True)),
                ("severity", models.CharField(blank=True, default="", max_length=20)),
                ("title", models.CharField(max_length=300)),
                ("words", models.TextField(blank=True, default="")),
                (
                    "path",
                    models.CharField(help_text="the page it leads to, without the host", max_length=200),
                ),
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
            name="Route",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("title", models.CharField(max_length=80)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("on-call", "on-call"),
                            ("team", "team"),
                            ("email", "email"),
                            ("webhook", "webhook"),
                            ("person", "person"),
                        ],
                        max_length=8,
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
                (
                    "person",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="routes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="routes",
                        to="accounts.team",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
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
                    models.CharField(
                        help_text="the same whenever it is tried again", max_length=40, unique=True
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("sent", "sent"),
                            ("failed", "failed"),
                            ("dropped", "dropped"),
                        ],
                        default=notices.events.MessageState["WAITING"],
                        max_length=8,
                    ),
                ),
                ("due_at", models.DateTimeField()),
                ("claimed_until", models.DateTimeField(blank=True, null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                (
                    "said",
                    models.CharField(
                        blank=True, default="", help_text="how the last try ended", max_length=300
                    ),
                ),
                ("tried_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField()),
                (
                    "notice",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="messages",
                        to="notices.notice",
                    ),
                ),
                (
                    "route",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="messages",
                        to="notices.route",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.AddConstraint(
            model_name="route",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at", None)), fields=("person",), name="one_route_for_a_person"
            ),
        ),
        migrations.AddConstraint(
            model_name="route",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "person"), ("person__isnull", False)),
                    models.Q(models.Q(("kind", "person"), _negated=True), ("person", None)),
                    _connector="OR",
                ),
                name="a_person_on_a_persons_route",
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                condition=models.Q(("state", "waiting")), fields=["due_at"], name="messages_to_send"
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(fields=["address", "-tried_at"], name="messages_of_an_address"),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.UniqueConstraint(
                fields=("notice", "route", "address", "round"), name="one_message_in_a_round"
            ),
        ),
    ]
