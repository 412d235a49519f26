"""What one person has is counted in an index alone, and a severity that has no rank is found by its word.

Made while others write; a second try after an interruption begins with what is left of the first.
"""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models

_LEFT = "DROP INDEX CONCURRENTLY IF EXISTS {}"


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("incidents", "0009_delivery_ids"),
    ]

    operations = [
        migrations.RunSQL(_LEFT.format("queue_by_person"), migrations.RunSQL.noop, elidable=True),
        AddIndexConcurrently(
            model_name="incident",
            index=models.Index(
                condition=models.Q(("assignee__isnull", False)),
                fields=["assignee", "shelf", "-last_received_at", "-id"],
                include=("team", "source", "kind", "severity_rank"),
                name="queue_by_person",
            ),
        ),
        migrations.RunSQL(_LEFT.format("queue_of_other_severity"), migrations.RunSQL.noop, elidable=True),
        AddIndexConcurrently(
            model_name="incident",
            index=models.Index(
                condition=models.Q(("severity_rank", 7)),
                fields=["severity", "shelf", "-last_received_at", "-id"],
                name="queue_of_other_severity",
            ),
        ),
        RemoveIndexConcurrently(model_name="incident", name="queue_of_a_person"),
    ]
