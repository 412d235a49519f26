"""An index for model runs by their end: outcomes week by week must not read every investigation there is."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("investigations", "0006_guards"),
    ]

    operations = [
        migrations.RunSQL(
            "DROP INDEX CONCURRENTLY IF EXISTS model_runs_by_end", migrations.RunSQL.noop, elidable=True
        ),
        AddIndexConcurrently(
            model_name="investigation",
            index=models.Index(
                condition=models.Q(("outcome", ""), _negated=True),
                fields=["finished_at", "outcome"],
                name="model_runs_by_end",
            ),
        ),
    ]
