"""Let the queue stay quick at a million incidents: each row says on which shelf it stands, counts are kept.

Columns and triggers come at once; what is there already is put on its shelf by the next migration.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from incidents.migrations import _queue_triggers as triggers


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_approvals"),
        ("incidents", "0003_source_rubric"),
        ("investigations", "0006_guards"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="QueueAct",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
        ),
        migrations.CreateModel(
            name="QueueLook",
            fields=[
                (
                    "owner",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
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
            name="Said",
            fields=[
                ("incident", models.BigIntegerField(primary_key=True, serialize=False)),
            ],
            options={
                "verbose_name_plural": "said",
            },
        ),
        migrations.CreateModel(
            name="SavedView",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=40)),
                (
                    "query",
                    models.CharField(
                        help_text="the address's parameters, without place and row", max_length=600
                    ),
                ),
                ("is_for_all", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "ordering": ("name", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Tally",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("team_id", models.BigIntegerField(null=True)),
                ("source_id", models.BigIntegerField()),
                ("kind", models.CharField(max_length=10)),
                ("severity_rank", models.SmallIntegerField()),
                ("shelf", models.CharField(max_length=16)),
                ("count", models.BigIntegerField()),
            ],
            options={
                "verbose_name_plural": "tallies",
            },
        ),
        migrations.AddField(
            model_name="incident",
            name="severity_rank",
            field=models.SmallIntegerField(db_default=7, default=7, editable=False),
        ),
        migrations.AddField(
            model_name="incident",
            name="shelf",
            field=models.CharField(db_default="", default="", editable=False, max_length=16),
        ),
        migrations.AddField(
            model_name="queueact",
            name="by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="queue_acts",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="savedview",
            name="owner",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="queue_views",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="savedview",
            name="team",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="queue_views",
                to="accounts.team",
            ),
        ),
        migrations.AddIndex(
            model_name="queueact",
            index=models.Index(fields=["at"], name="queue_acts_by_time"),
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.UniqueConstraint(fields=("owner", "name"), name="one_view_of_a_name"),
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.CheckConstraint(
                condition=models.Q(("team__isnull", True), ("is_for_all", False), _connector="OR"),
                name="view_for_a_team_or_all",
            ),
        ),
        migrations.RunSQL("SET LOCAL lock_timeout = '5s'", migrations.RunSQL.noop),
        migrations.RunSQL(triggers.COLUMN, triggers.UNDO),
        migrations.RunSQL(triggers.WORDS, migrations.RunSQL.noop),
        migrations.RunSQL(triggers.SHELVED, migrations.RunSQL.noop),
        migrations.RunSQL(triggers.TALLIED, migrations.RunSQL.noop),
        migrations.RunSQL(triggers.SAID, migrations.RunSQL.noop),
    ]
