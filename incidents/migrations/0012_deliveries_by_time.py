"""The list of deliveries is read from an index, whole or by source, state or condition: there are millions.

Made while others write; a second try after an interruption begins with what is left of the first.
"""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q

_INDEXES = (
    models.Index(fields=["-received_at", "-id"], name="deliveries_newest"),
    models.Index(fields=["source", "-received_at", "-id"], name="deliveries_of_a_source"),
    models.Index(
        fields=["state", "-received_at", "-id"],
        condition=Q(("state", "folded"), _negated=True),
        name="deliveries_unfolded",
    ),
    models.Index(
        fields=["condition", "-received_at", "-id"],
        condition=Q(("condition", ""), _negated=True),
        name="deliveries_in_condition",
    ),
)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("incidents", "0011_human_labels"),
    ]

    operations = [
        step
        for index in _INDEXES
        for step in (
            migrations.RunSQL(
                f"DROP INDEX CONCURRENTLY IF EXISTS {index.name}", migrations.RunSQL.noop, elidable=True
            ),
            AddIndexConcurrently(model_name="delivery", index=index),
        )
    ]
