"""Figures get their rows, and a trigger notes which incidents they have to count anew.

By statement, as an incident may be one of thousands that a storm brings; the queue of what is stale has no unique
key, so that no two writers wait for each other.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

STALE = """
CREATE FUNCTION incident_stale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO incidents_staleincident (incident_id) SELECT id FROM came;
    RETURN NULL;
END $$;
CREATE TRIGGER incident_stale_new AFTER INSERT ON incidents_incident
    REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION incident_stale();
CREATE TRIGGER incident_stale_again AFTER UPDATE ON incidents_incident
    REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION incident_stale();
INSERT INTO incidents_staleincident (incident_id) SELECT id FROM incidents_incident;
"""
UNSTALE = """
DROP TRIGGER IF EXISTS incident_stale_new ON incidents_incident;
DROP TRIGGER IF EXISTS incident_stale_again ON incidents_incident;
DROP FUNCTION IF EXISTS incident_stale;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("incidents", "0006_desk"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunSQL("SET LOCAL lock_timeout = '5s'", migrations.RunSQL.noop),
        migrations.CreateModel(
            name="Recount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="StaleIncident",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("incident_id", models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="DaySum",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                ("dimension", models.CharField(max_length=8)),
                ("value", models.CharField(max_length=120)),
                ("body", models.TextField(help_text="a tally's text")),
            ],
            options={
                "indexes": [models.Index(fields=["dimension", "day"], name="sums_by_day")],
                "constraints": [
                    models.UniqueConstraint(fields=("dimension", "value", "day"), name="one_sum_of_a_day")
                ],
            },
        ),
        migrations.CreateModel(
            name="Record",
            fields=[
                (
                    "incident",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
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
            name="StampEdit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=24)),
                ("at", models.DateTimeField()),
                ("because", models.CharField(max_length=300)),
                ("entry", models.BigIntegerField(help_text="the entry that records it")),
                ("made_at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="stamp_edits",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "incident",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="stamp_edits",
                        to="incidents.incident",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="PassAudit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("verdict_id", models.BigIntegerField(unique=True)),
                ("rule", models.CharField(max_length=120)),
                ("rule_version", models.PositiveIntegerField()),
                ("why", models.CharField(max_length=8)),
                ("drawn_at", models.DateTimeField()),
                ("due_at", models.DateTimeField()),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                ("outcome", models.CharField(blank=True, default="", max_length=24)),
                ("was_right", models.BooleanField(blank=True, null=True)),
                ("because", models.TextField(blank=True, default="")),
                (
                    "closer",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="passes_closed",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "incident",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pass_audits",
                        to="incidents.incident",
                    ),
                ),
                (
                    "reviewer",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pass_audits",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "indexes": [
                    models.Index(fields=["rule", "answered_at"], name="pass_audits_of_a_rule"),
                    models.Index(
                        condition=models.Q(("answered_at", None)),
                        fields=["reviewer"],
                        name="pass_audits_to_do",
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
        migrations.RunSQL(STALE, UNSTALE),
    ]
