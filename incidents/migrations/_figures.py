"""What the figures are summed from and into, how rules fare, and the passes that are drawn for an audit."""

import django.contrib.postgres.fields
from django.conf import settings
from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="StampEdit",
        fields=[
            _KEY,
            (
                "incident",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="stamp_edits", to="incidents.incident"
                ),
            ),
            ("name", models.CharField(max_length=24)),
            ("at", models.DateTimeField()),
            ("because", models.CharField(max_length=300)),
            (
                "by",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="stamp_edits", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("entry", models.BigIntegerField(help_text="the entry that records it")),
            ("made_at", models.DateTimeField()),
        ],
        options={"ordering": ("pk",)},
    ),
    migrations.CreateModel(
        name="Record",
        fields=[
            (
                "incident",
                models.OneToOneField(
                    on_delete=models.PROTECT,
                    primary_key=True,
                    related_name="record",
                    serialize=False,
                    to="incidents.incident",
                ),
            ),
            ("day", models.DateField(help_text="of its detection, in UTC")),
            ("source_id", models.BigIntegerField()),
            ("team_id", models.BigIntegerField(blank=True, null=True)),
            ("kind", models.CharField(max_length=10)),
            ("service", models.CharField(blank=True, default="", max_length=120)),
            ("rule", models.CharField(blank=True, default="", max_length=120)),
            ("ended", models.CharField(max_length=10)),
            ("judged", models.CharField(max_length=10)),
            ("stamps", models.JSONField(help_text="each known moment by its name, in ISO text")),
            ("first_closed_on", models.DateField(blank=True, null=True)),
            ("was_reopened", models.BooleanField(default=False)),
            ("is_comparable", models.BooleanField(default=False)),
            ("is_override", models.BooleanField(default=False)),
            (
                "bars",
                django.contrib.postgres.fields.ArrayField(
                    base_field=models.SmallIntegerField(null=True),
                    db_default=[],
                    default=list,
                    help_text="of each stage's duration, as the sums count it; none of one that no person closed",
                    size=None,
                ),
            ),
            (
                "logs",
                django.contrib.postgres.fields.ArrayField(
                    base_field=models.IntegerField(null=True), db_default=[], default=list, size=None
                ),
            ),
            (
                "summed_as",
                models.SmallIntegerField(
                    db_default=0,
                    default=0,
                    help_text="the shape of the sums that it is counted in; 0 in none yet",
                ),
            ),
            ("verdict_id", models.BigIntegerField(default=0, help_text="the last one; 0 without one")),
            (
                "lot_drawn_for",
                models.BigIntegerField(
                    default=0, help_text="the verdict whose pass was drawn for an audit, or was not"
                ),
            ),
        ],
        options={
            "indexes": [
                models.Index(fields=["day"], name="records_by_day"),
                models.Index(fields=["source_id", "day"], name="records_of_a_source"),
                models.Index(fields=["team_id", "day"], name="records_of_a_team"),
                models.Index(fields=["service", "day"], name="records_of_a_service"),
                models.Index(fields=["rule", "day"], name="records_of_a_rule"),
                models.Index(condition=models.Q(("summed_as", 0)), fields=["-day"], name="records_to_sum"),
                models.Index(
                    condition=models.Q(
                        ("ended__in", ["person", "pass"]),
                        ("judged", "pass"),
                        models.Q(("lot_drawn_for", models.F("verdict_id")), _negated=True),
                    ),
                    fields=["incident"],
                    name="lots_to_draw",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="SpanSum",
        fields=[
            _KEY,
            (
                "by",
                models.CharField(
                    blank=True, help_text="the dimensions, joined; none of all incidents", max_length=16
                ),
            ),
            ("length", models.SmallIntegerField(help_text="in days: 1, or 7 from a Monday")),
            ("first", models.DateField()),
            (
                "one",
                models.CharField(
                    blank=True, default="", help_text="the first dimension's value", max_length=120
                ),
            ),
            ("other", models.CharField(blank=True, default="", max_length=120)),
            ("body", models.TextField(help_text="a tally's text, without its bars")),
            ("resolve", models.TextField(help_text="the bars of the time to resolve")),
            ("stages", models.TextField(help_text="the bars of the other stages")),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(
                    fields=("by", "length", "first", "one", "other"), name="one_sum_of_a_span"
                )
            ]
        },
    ),
    migrations.CreateModel(
        name="AgentDay",
        fields=[
            ("day", models.DateField(primary_key=True, serialize=False)),
            ("body", models.TextField(help_text="a day's text, as the figures of agents write it")),
        ],
    ),
    migrations.CreateModel(
        name="RuleTally",
        fields=[
            _KEY,
            ("hypothesis", models.CharField(max_length=120)),
            (
                "raised",
                models.BigIntegerField(default=0, help_text="investigations whose last verdict is of it"),
            ),
            ("earned", models.BigIntegerField(default=0)),
            (
                "overridden",
                models.BigIntegerField(default=0, help_text="verdicts that a closing contradicted"),
            ),
            ("last_raised_at", models.DateTimeField(blank=True, null=True)),
            ("last_earned_at", models.DateTimeField(blank=True, null=True)),
        ],
    ),
    migrations.CreateModel(
        name="StaleIncident",
        fields=[
            _KEY,
            ("incident_id", models.BigIntegerField()),
        ],
    ),
    migrations.CreateModel(
        name="Recount",
        fields=[
            _KEY,
            ("at", models.DateTimeField()),
        ],
    ),
    migrations.CreateModel(
        name="PassAudit",
        fields=[
            _KEY,
            (
                "incident",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="pass_audits", to="incidents.incident"
                ),
            ),
            ("verdict_id", models.BigIntegerField(unique=True)),
            ("rule", models.CharField(max_length=120)),
            ("rule_version", models.PositiveIntegerField()),
            ("why", models.CharField(max_length=8)),
            (
                "closer",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="passes_closed",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "reviewer",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="pass_audits",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("drawn_at", models.DateTimeField()),
            ("due_at", models.DateTimeField()),
            ("answered_at", models.DateTimeField(blank=True, null=True)),
            ("outcome", models.CharField(blank=True, default="", max_length=24)),
            ("was_right", models.BooleanField(blank=True, null=True)),
            ("because", models.TextField(blank=True, default="")),
        ],
        options={
            "ordering": ("pk",),
            "indexes": [
                models.Index(fields=["rule", "answered_at"], name="pass_audits_of_a_rule"),
                models.Index(
                    condition=models.Q(("answered_at", None)), fields=["reviewer"], name="pass_audits_to_do"
                ),
            ],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        ("closer__isnull", True),
                        ("reviewer__isnull", True),
                        models.Q(("reviewer", models.F("closer")), _negated=True),
                        _connector="OR",
                    ),
                    name="no_closer_audits_their_own",
                )
            ],
        },
    ),
]
