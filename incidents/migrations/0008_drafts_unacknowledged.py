"""An index for the drafts that nobody has acknowledged: the figures count them among 100,000 open incidents.

Made while others write; a second try after an interruption begins with what is left of the first.
"""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("incidents", "0007_figures"),
    ]

    operations = [
        migrations.RunSQL(
            "DROP INDEX CONCURRENTLY IF EXISTS drafts_unacknowledged", migrations.RunSQL.noop, elidable=True
        ),
        AddIndexConcurrently(
            model_name="incident",
            index=models.Index(
                condition=models.Q(("acknowledged_at", None), ("state", "review")),
                fields=["first_received_at"],
                name="drafts_unacknowledged",
            ),
        ),
    ]
