"""Keep each night's evaluation and each week's drill, one row for the day, and what they alarmed of."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("trials", "0004_who_was_right"),
    ]

    operations = [
        migrations.CreateModel(
            name="ScheduledTrial",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "schedule",
                    models.CharField(choices=[("nightly", "nightly"), ("weekly", "weekly")], max_length=10),
                ),
                ("day", models.DateField(help_text="on which it was due, in UTC")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("done", "done"),
                            ("skipped", "skipped"),
                            ("stopped", "stopped"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "note",
                    models.TextField(
                        blank=True, default="", help_text="why it was skipped or stopped, or how it went"
                    ),
                ),
                (
                    "tries",
                    models.PositiveIntegerField(
                        default=0, help_text="steps that were begun since one ended well"
                    ),
                ),
                ("created_at", models.DateTimeField()),
                (
                    "moved_at",
                    models.DateTimeField(help_text="when it was sent to a worker, or a step of it was begun"),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "drill",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="scheduled",
                        to="trials.drill",
                    ),
                ),
                (
                    "evaluation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="scheduled",
                        to="trials.evaluation",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="scheduled",
                        to="trials.drillrun",
                    ),
                ),
            ],
            options={
                "ordering": ("-day", "schedule"),
            },
        ),
        migrations.CreateModel(
            name="TrialAlarm",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(help_text="the sender's key of its incident", max_length=200)),
                ("hits", models.PositiveIntegerField()),
                ("of", models.PositiveIntegerField()),
                ("limit", models.FloatField()),
                ("raised_at", models.DateTimeField()),
                (
                    "trial",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="alarms",
                        to="trials.scheduledtrial",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.AddConstraint(
            model_name="scheduledtrial",
            constraint=models.UniqueConstraint(fields=("schedule", "day"), name="one_scheduled_trial_a_day"),
        ),
        migrations.AddConstraint(
            model_name="scheduledtrial",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ended_at", None), ("state__in", ("waiting", "running"))),
                    models.Q(
                        models.Q(("state__in", ("waiting", "running")), _negated=True),
                        ("ended_at__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="scheduled_trial_ended_with_its_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="trialalarm",
            constraint=models.UniqueConstraint(
                fields=("key", "trial"), name="one_alarm_of_a_key_and_a_trial"
            ),
        ),
    ]
