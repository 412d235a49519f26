"""What people leave on an incident's page, and what follows from how they close it."""

from django.conf import settings
from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="Note",
        fields=[
            _KEY,
            (
                "incident",
                models.ForeignKey(on_delete=models.PROTECT, related_name="notes", to="incidents.incident"),
            ),
            (
                "by",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="notes", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("text", models.TextField()),
            (
                "once",
                models.CharField(
                    help_text="of the form and its text: sent twice, kept once", max_length=64, unique=True
                ),
            ),
            ("created_at", models.DateTimeField()),
            (
                "mentioned",
                models.ManyToManyField(blank=True, related_name="mentions", to=settings.AUTH_USER_MODEL),
            ),
        ],
        options={"ordering": ("pk",)},
    ),
    migrations.CreateModel(
        name="DraftEdit",
        fields=[
            _KEY,
            (
                "incident",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="draft_edits", to="incidents.incident"
                ),
            ),
            ("number", models.PositiveIntegerField(help_text="counts up in its incident")),
            (
                "draft_id",
                models.BigIntegerField(blank=True, help_text="the draft that it began from", null=True),
            ),
            ("text", models.TextField(blank=True, default="")),
            (
                "by",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="draft_edits", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "ordering": ("incident", "number"),
            "constraints": [
                models.UniqueConstraint(fields=("incident", "number"), name="one_edit_of_a_number")
            ],
        },
    ),
    migrations.CreateModel(
        name="PersonCheck",
        fields=[
            _KEY,
            ("of_entry", models.BigIntegerField(help_text="the entry whose question it is")),
            ("incident", models.BigIntegerField(blank=True, null=True)),
            (
                "by",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="checks", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "once",
                models.CharField(help_text="of the form: sent twice, asked once", max_length=64, unique=True),
            ),
            ("asked_at", models.DateTimeField()),
            (
                "entry",
                models.BigIntegerField(
                    blank=True, help_text="the new answer's; null while it is asked", null=True
                ),
            ),
            (
                "is_same",
                models.BooleanField(blank=True, help_text="whether it answered what was recorded", null=True),
            ),
        ],
        options={
            "ordering": ("pk",),
            "indexes": [
                models.Index(fields=["of_entry"], name="checks_of_an_entry"),
                models.Index(fields=["incident"], name="checks_of_an_incident"),
            ],
        },
    ),
    migrations.CreateModel(
        name="Override",
        fields=[
            (
                "resolution",
                models.OneToOneField(
                    on_delete=models.PROTECT,
                    primary_key=True,
                    related_name="override",
                    serialize=False,
                    to="incidents.resolution",
                ),
            ),
            (
                "incident",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="overrides", to="incidents.incident"
                ),
            ),
            ("verdict_id", models.BigIntegerField(blank=True, null=True)),
            ("hypothesis", models.CharField(blank=True, default="", max_length=120)),
            ("verdict_passed", models.BooleanField()),
            ("actual", models.CharField(help_text="what the closing says was so", max_length=16)),
            (
                "table_version",
                models.PositiveSmallIntegerField(help_text="of the table that maps outcomes to it"),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "ordering": ("-pk",),
            "indexes": [models.Index(fields=["hypothesis", "-created_at"], name="overrides_of_a_rule")],
        },
    ),
    migrations.CreateModel(
        name="HumanLabel",
        fields=[
            (
                "resolution",
                models.OneToOneField(
                    on_delete=models.PROTECT,
                    primary_key=True,
                    related_name="human_label",
                    serialize=False,
                    to="incidents.resolution",
                ),
            ),
            (
                "incident",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="human_labels", to="incidents.incident"
                ),
            ),
            ("label", models.CharField(max_length=20)),
            (
                "label_set",
                models.CharField(help_text="the version of the set that it was chosen from", max_length=20),
            ),
            (
                "model_label",
                models.CharField(blank=True, default="", help_text="empty where it gave none", max_length=20),
            ),
            (
                "classified_id",
                models.BigIntegerField(blank=True, help_text="the classification before them", null=True),
            ),
            ("is_override", models.BooleanField(help_text="the model had given another")),
            (
                "by",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="human_labels", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "ordering": ("pk",),
            "indexes": [
                models.Index(fields=["incident", "-resolution"], name="labels_of_an_incident"),
                models.Index(fields=["created_at"], name="labels_by_time"),
            ],
        },
    ),
    migrations.CreateModel(
        name="SelfClosing",
        fields=[
            _KEY,
            ("rule", models.CharField(max_length=120)),
            ("rule_version", models.PositiveIntegerField(help_text="a changed rule needs a new leave")),
            ("because", models.CharField(max_length=300)),
            ("made_by", models.CharField(max_length=200)),
            ("made_at", models.DateTimeField()),
            ("ended_by", models.CharField(blank=True, default="", max_length=200)),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ("pk",),
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("ended_at", None)), fields=("rule",), name="one_leave_to_close_a_rule"
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("ended_at", None), ("ended_by", "")),
                        models.Q(("ended_at__isnull", False), models.Q(("ended_by", ""), _negated=True)),
                        _connector="OR",
                    ),
                    name="leave_ended_by_somebody",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Opening",
        fields=[
            (
                "incident",
                models.OneToOneField(
                    on_delete=models.CASCADE,
                    primary_key=True,
                    related_name="opening",
                    serialize=False,
                    to="incidents.incident",
                ),
            ),
            ("at", models.DateTimeField()),
            (
                "is_closing",
                models.BooleanField(default=False, help_text="it was closed, and nobody had opened it"),
            ),
        ],
        options={
            "indexes": [
                models.Index(condition=models.Q(("is_closing", True)), fields=["at"], name="closed_unopened")
            ]
        },
    ),
]
