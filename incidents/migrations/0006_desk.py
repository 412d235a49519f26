"""What people leave on an incident's page gets its rows, and a pass may close by itself.

Closings that contradicted their verdict so far become overrides; notes and edited drafts can be searched for.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# Outcomes as the first version of the table has them; only those that say pass or fail can contradict.
OVERRIDES = """
INSERT INTO incidents_override (resolution_id, incident_id, verdict_id, hypothesis, verdict_passed, actual,
                                table_version, created_at)
SELECT r.id, r.incident_id, r.verdict_id, coalesce(v.hypothesis, ''),
       r.outcome NOT IN ('harmless', 'claim refused'),
       CASE WHEN r.outcome IN ('harmless', 'claim refused') THEN 'pass' ELSE 'fail' END, 1, r.created_at
FROM incidents_resolution AS r LEFT JOIN investigations_verdict AS v ON v.id = r.verdict_id
WHERE r.contradicts_verdict
"""
SAYS = """
CREATE FUNCTION desk_says() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM incident_says(NEW.incident_id, NEW.text);
    RETURN NULL;
END $$;
CREATE TRIGGER note_says AFTER INSERT ON incidents_note FOR EACH ROW EXECUTE FUNCTION desk_says();
CREATE TRIGGER draft_edit_says AFTER INSERT ON incidents_draftedit FOR EACH ROW EXECUTE FUNCTION desk_says();
"""
UNSAYS = """
DROP TRIGGER IF EXISTS note_says ON incidents_note;
DROP TRIGGER IF EXISTS draft_edit_says ON incidents_draftedit;
DROP FUNCTION IF EXISTS desk_says;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("incidents", "0005_queue_filled"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunSQL("SET LOCAL lock_timeout = '5s'", migrations.RunSQL.noop),
        migrations.CreateModel(
            name="DraftEdit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="counts up in its incident")),
                (
                    "draft_id",
                    models.BigIntegerField(blank=True, help_text="the draft that it began from", null=True),
                ),
                ("text", models.TextField(blank=True, default="")),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "ordering": ("incident", "number"),
            },
        ),
        migrations.CreateModel(
            name="Note",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
                (
                    "once",
                    models.CharField(
                        help_text="of the form and its text: sent twice, kept once",
                        max_length=64,
                        unique=True,
                    ),
                ),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Override",
            fields=[
                (
                    "resolution",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="override",
                        serialize=False,
                        to="incidents.resolution",
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
            },
        ),
        migrations.CreateModel(
            name="PersonCheck",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("of_entry", models.BigIntegerField(help_text="the entry whose question it is")),
                ("incident", models.BigIntegerField(blank=True, null=True)),
                (
                    "once",
                    models.CharField(
                        help_text="of the form: sent twice, asked once", max_length=64, unique=True
                    ),
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
                    models.BooleanField(
                        blank=True, help_text="whether it answered what was recorded", null=True
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="SelfClosing",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
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
            },
        ),
        migrations.AddField(
            model_name="resolution",
            name="by_rule",
            field=models.CharField(blank=True, default="", max_length=120),
        ),
        migrations.AlterField(
            model_name="resolution",
            name="by",
            field=models.ForeignKey(
                blank=True,
                help_text="null for a pass that closed by itself",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="resolutions",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="resolution",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("by__isnull", False), ("by_rule", "")),
                    models.Q(("by__isnull", True), models.Q(("by_rule", ""), _negated=True)),
                    _connector="OR",
                ),
                name="closed_by_a_person_or_a_rule",
            ),
        ),
        migrations.AddField(
            model_name="draftedit",
            name="by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="draft_edits",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="draftedit",
            name="incident",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="draft_edits",
                to="incidents.incident",
            ),
        ),
        migrations.AddField(
            model_name="note",
            name="by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="notes", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="note",
            name="incident",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="notes", to="incidents.incident"
            ),
        ),
        migrations.AddField(
            model_name="note",
            name="mentioned",
            field=models.ManyToManyField(blank=True, related_name="mentions", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="override",
            name="incident",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="overrides", to="incidents.incident"
            ),
        ),
        migrations.AddField(
            model_name="personcheck",
            name="by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="checks",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="selfclosing",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at", None)), fields=("rule",), name="one_leave_to_close_a_rule"
            ),
        ),
        migrations.AddConstraint(
            model_name="selfclosing",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ended_at", None), ("ended_by", "")),
                    models.Q(("ended_at__isnull", False), models.Q(("ended_by", ""), _negated=True)),
                    _connector="OR",
                ),
                name="leave_ended_by_somebody",
            ),
        ),
        migrations.AddConstraint(
            model_name="draftedit",
            constraint=models.UniqueConstraint(fields=("incident", "number"), name="one_edit_of_a_number"),
        ),
        migrations.AddIndex(
            model_name="override",
            index=models.Index(fields=["hypothesis", "-created_at"], name="overrides_of_a_rule"),
        ),
        migrations.AddIndex(
            model_name="personcheck",
            index=models.Index(fields=["of_entry"], name="checks_of_an_entry"),
        ),
        migrations.AddIndex(
            model_name="personcheck",
            index=models.Index(fields=["incident"], name="checks_of_an_incident"),
        ),
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.RunSQL(OVERRIDES, migrations.RunSQL.noop),
        migrations.RunSQL(SAYS, UNSAYS),
    ]
