"""Exchanges with models, their transcripts, and what was recorded of who hosts a model."""

import django.db.models.deletion
from django.db import migrations, models

import investigations.states


class Migration(migrations.Migration):
    dependencies = [
        ("investigations", "0004_model_runs"),
    ]

    operations = [
        migrations.CreateModel(
            name="Transcript",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("body", models.TextField(help_text="JSON, redacted; written once")),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="EndpointTerms",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "host",
                    models.CharField(
                        help_text="of the base URL, with its port where one is named", max_length=255
                    ),
                ),
                ("hosted_by", models.CharField(help_text="the company or team that runs it", max_length=200)),
                (
                    "terms",
                    models.CharField(
                        help_text="where the data terms stand, and what was agreed", max_length=500
                    ),
                ),
                ("recorded_by", models.CharField(max_length=200)),
                ("recorded_at", models.DateTimeField()),
                ("ended_by", models.CharField(blank=True, default="", max_length=200)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)),
                        fields=("host",),
                        name="one_standing_word_per_host",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Exchange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("incident_id", models.BigIntegerField(blank=True, null=True)),
                (
                    "purpose",
                    models.CharField(
                        choices=[
                            ("investigator", "investigator"),
                            ("critic", "critic"),
                            ("grader", "grader"),
                            ("ask", "ask"),
                            ("candidate", "candidate"),
                            ("probe", "probe"),
                        ],
                        max_length=12,
                    ),
                ),
                ("endpoint", models.CharField(max_length=40)),
                (
                    "model",
                    models.CharField(
                        help_text="as the reply names it, else as it was asked for", max_length=200
                    ),
                ),
                ("fingerprint", models.CharField(blank=True, default="", max_length=200)),
                (
                    "step",
                    models.PositiveIntegerField(help_text="counts the exchanges of one run for one purpose"),
                ),
                ("transcript_digest", models.CharField(blank=True, default="", max_length=64)),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("sent", "sent"),
                            ("stop", "stop"),
                            ("tool_calls", "tool_calls"),
                            ("cut_off", "cut_off"),
                            ("refused", "refused"),
                            ("unknown", "unknown"),
                            ("down", "down"),
                        ],
                        default=investigations.states.Exchanged["SENT"],
                        max_length=12,
                    ),
                ),
                ("reason", models.TextField(blank=True, default="", help_text="why no reply came, in words")),
                (
                    "tries",
                    models.PositiveIntegerField(default=0, help_text="requests made, the last one included"),
                ),
                ("tokens_in", models.PositiveBigIntegerField(default=0)),
                ("tokens_out", models.PositiveBigIntegerField(default=0)),
                (
                    "micros",
                    models.PositiveBigIntegerField(
                        default=0, help_text="millionths of the currency of the prices"
                    ),
                ),
                ("seconds", models.FloatField(default=0.0)),
                ("created_at", models.DateTimeField()),
                (
                    "investigation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exchanges",
                        to="investigations.investigation",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "indexes": [
                    models.Index(fields=["incident_id"], name="exchanges_by_incident"),
                    models.Index(fields=["created_at"], name="exchanges_by_time"),
                ],
            },
        ),
    ]
