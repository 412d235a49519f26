"""Records are found by what the figures are filtered by, and those that are in no sum yet by their day.

Made while others write; a second try after an interruption begins with what is left of the first.
"""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

_INDEXES = (
    models.Index(fields=["-day"], condition=models.Q(("summed_as", 0)), name="records_to_sum"),
    models.Index(fields=["source_id", "day"], name="records_of_a_source"),
    models.Index(fields=["team_id", "day"], name="records_of_a_team"),
    models.Index(fields=["service", "day"], name="records_of_a_service"),
    models.Index(fields=["rule", "day"], name="records_of_a_rule"),
)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("incidents", "0014_figures_by_pairs"),
    ]

    operations = [
        step
        for index in _INDEXES
        for step in (
            migrations.RunSQL(
                f"DROP INDEX CONCURRENTLY IF EXISTS {index.name}", migrations.RunSQL.noop, elidable=True
            ),
            AddIndexConcurrently(model_name="record", index=index),
        )
    ]
