"""What people ask about an incident is kept with its answer, and each turn on the way to it."""

import django.db.models.deletion
from django.db import migrations, models

import investigations.states


class Migration(migrations.Migration):
    dependencies = [
        ("investigations", "0002_suspensions_and_troubles"),
    ]

    operations = [
        migrations.CreateModel(
            name="Question",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("incident_id", models.BigIntegerField(db_index=True)),
                ("asked_by", models.CharField(help_text="person:NAME", max_length=200)),
                ("text", models.TextField()),
                ("subject", models.TextField(help_text="canonical JSON of the frozen Subject")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "queued"),
                            ("running", "running"),
                            ("answered", "answered"),
                            ("failed", "failed"),
                            ("stopped", "stopped"),
                        ],
                        default=investigations.states.Asking["QUEUED"],
                        max_length=12,
                    ),
                ),
                ("attempt", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField()),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("answer", models.TextField(blank=True, default="")),
                (
                    "citations",
                    models.TextField(
                        blank=True, default="[]", help_text="canonical JSON: each id, its standing"
                    ),
                ),
                (
                    "reason",
                    models.TextField(
                        blank=True, default="", help_text="why there is no answer, or what it lacks"
                    ),
                ),
                ("calls", models.PositiveIntegerField(default=0)),
                ("tokens_in", models.PositiveBigIntegerField(default=0)),
                ("tokens_out", models.PositiveBigIntegerField(default=0)),
                ("micros", models.PositiveBigIntegerField(default=0)),
            ],
            options={
                "ordering": ("pk",),
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["queued", "running"])),
                        fields=["state", "lease_until"],
                        name="open_questions",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["queued", "running"])),
                        fields=("incident_id", "asked_by"),
                        name="one_open_question_a_person",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AskTurn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("kind", models.CharField(max_length=20)),
                ("body", models.TextField(help_text="canonical JSON, secrets masked")),
                ("entry", models.BigIntegerField(blank=True, help_text="of the tool call", null=True)),
                ("exchange", models.BigIntegerField(blank=True, help_text="of the model's reply", null=True)),
                ("created_at", models.DateTimeField()),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="turns",
                        to="investigations.question",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(fields=("question", "number"), name="ask_turns_are_numbered")
                ],
            },
        ),
    ]
