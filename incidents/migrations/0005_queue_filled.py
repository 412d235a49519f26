"""Put what is there already on its shelf, in small steps, and build the indexes beside the running writers.

It may be ended at any point and begun again.
"""

from django.apps.registry import Apps
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from incidents.migrations import _queue_triggers as triggers

_AT_ONCE = 2_000


def fill(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Fill shelves, ranks, words and counts, a few thousand rows in each transaction."""
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(id), 0) FROM incidents_incident")
        last = cursor.fetchone()[0]
        for low in range(0, last, _AT_ONCE):
            cursor.execute(triggers.FILL, {"low": low, "high": low + _AT_ONCE})
            cursor.execute(triggers.FILL_SHELVES, {"low": low, "high": low + _AT_ONCE})


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("incidents", "0004_queue_at_scale"),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
        AddIndexConcurrently(
            model_name="incident",
            index=models.Index(
                fields=["shelf", "-last_received_at", "-id"],
                include=("team", "source", "assignee", "kind", "severity_rank"),
                name="queue_newest",
            ),
        ),
        AddIndexConcurrently(
            model_name="incident",
            index=models.Index(
                fields=["shelf", "started_at", "id"],
                include=("team", "source", "assignee", "kind", "severity_rank"),
                name="queue_oldest",
            ),
        ),
        AddIndexConcurrently(
            model_name="incident",
            index=models.Index(
                fields=["shelf", "severity_rank", "-last_received_at", "-id"],
                include=("team", "source", "assignee", "kind"),
                name="queue_severe",
            ),
        ),
        AddIndexConcurrently(
            model_name="incident",
            index=models.Index(
                condition=models.Q(("assignee__isnull", False)),
                fields=["assignee", "shelf", "-last_received_at", "-id"],
                name="queue_of_a_person",
            ),
        ),
        migrations.RunSQL(triggers.INDEX, "DROP INDEX IF EXISTS queue_words"),
    ]
