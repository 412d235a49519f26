"""What the queue is served from: kept counts and words, the views that people keep, what they can take back."""

from django.conf import settings
from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="Tally",
        fields=[
            _KEY,
            ("team_id", models.BigIntegerField(null=True)),
            ("source_id", models.BigIntegerField()),
            ("kind", models.CharField(max_length=10)),
            ("severity_rank", models.SmallIntegerField()),
            ("shelf", models.CharField(max_length=16)),
            ("count", models.BigIntegerField()),
        ],
        options={"verbose_name_plural": "tallies"},
    ),
    migrations.CreateModel(
        name="Said",
        fields=[
            ("incident", models.BigIntegerField(primary_key=True, serialize=False)),
        ],
        options={"verbose_name_plural": "said"},
    ),
    migrations.CreateModel(
        name="SavedView",
        fields=[
            _KEY,
            (
                "owner",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="queue_views", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("name", models.CharField(max_length=40)),
            (
                "query",
                models.CharField(help_text="the address's parameters, without place and row", max_length=600),
            ),
            (
                "team",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.CASCADE,
                    related_name="queue_views",
                    to="accounts.team",
                ),
            ),
            ("is_for_all", models.BooleanField(default=False)),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "ordering": ("name", "pk"),
            "constraints": [
                models.UniqueConstraint(fields=("owner", "name"), name="one_view_of_a_name"),
                models.CheckConstraint(
                    condition=models.Q(("team__isnull", True), ("is_for_all", False), _connector="OR"),
                    name="view_for_a_team_or_all",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="QueueLook",
        fields=[
            (
                "owner",
                models.OneToOneField(
                    on_delete=models.CASCADE,
                    primary_key=True,
                    related_name="queue_look",
                    serialize=False,
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("columns", models.JSONField(default=list)),
        ],
    ),
    migrations.CreateModel(
        name="QueueAct",
        fields=[
            _KEY,
            (
                "by",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="queue_acts", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("act", models.CharField(max_length=12)),
            ("words", models.CharField(max_length=200)),
            (
                "rows",
                models.JSONField(
                    default=list, help_text="incident, its version since, and its columns before"
                ),
            ),
            ("at", models.DateTimeField()),
            ("undone_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={"indexes": [models.Index(fields=["at"], name="queue_acts_by_time")]},
    ),
]
