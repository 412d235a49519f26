"""Each night's evaluation and each week's drill, and what they alarmed of."""

from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="ScheduledTrial",
        fields=[
            _KEY,
            (
                "schedule",
                models.CharField(choices=[(each, each) for each in ("nightly", "weekly")], max_length=10),
            ),
            ("day", models.DateField(help_text="on which it was due, in UTC")),
            (
                "state",
                models.CharField(
                    choices=[(each, each) for each in ("waiting", "running", "done", "skipped", "stopped")],
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
            (
                "evaluation",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.SET_NULL,
                    related_name="scheduled",
                    to="trials.evaluation",
                ),
            ),
            (
                "run",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.SET_NULL,
                    related_name="scheduled",
                    to="trials.drillrun",
                ),
            ),
            (
                "drill",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.SET_NULL,
                    related_name="scheduled",
                    to="trials.drill",
                ),
            ),
            ("created_at", models.DateTimeField()),
            (
                "moved_at",
                models.DateTimeField(help_text="when it was sent to a worker, or a step of it was begun"),
            ),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ("-day", "schedule"),
            "constraints": [
                models.UniqueConstraint(fields=("schedule", "day"), name="one_scheduled_trial_a_day"),
                models.CheckConstraint(
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
            ],
        },
    ),
    migrations.CreateModel(
        name="TrialAlarm",
        fields=[
            _KEY,
            ("key", models.CharField(help_text="the sender's key of its incident", max_length=200)),
            (
                "trial",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="alarms", to="trials.scheduledtrial"
                ),
            ),
            ("hits", models.PositiveIntegerField()),
            ("of", models.PositiveIntegerField()),
            ("limit", models.FloatField()),
            ("raised_at", models.DateTimeField()),
        ],
        options={
            "ordering": ("-pk",),
            "constraints": [
                models.UniqueConstraint(fields=("key", "trial"), name="one_alarm_of_a_key_and_a_trial")
            ],
        },
    ),
]
