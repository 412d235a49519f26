"""A sender's id of a delivery: what is delivered again is stored once, also where both come at the same time.

The index is made while others write; a second try after an interruption begins with what is left of the first.
"""

from django.db import migrations, models

_MAKE = (
    "CREATE UNIQUE INDEX CONCURRENTLY one_delivery_per_sender_id "
    "ON incidents_delivery (source_id, sender_id) WHERE (NOT (sender_id = ''))"
)
_DROP = "DROP INDEX CONCURRENTLY IF EXISTS one_delivery_per_sender_id"


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("incidents", "0008_drafts_unacknowledged"),
    ]

    operations = [
        migrations.AddField(
            model_name="delivery",
            name="sender_id",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="the sender's id of the delivery",
                max_length=100,
            ),
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(_DROP, migrations.RunSQL.noop),
                migrations.RunSQL(_MAKE, _DROP),
            ],
            state_operations=[
                migrations.AddConstraint(
                    model_name="delivery",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("sender_id", ""), _negated=True),
                        fields=("source", "sender_id"),
                        name="one_delivery_per_sender_id",
                    ),
                ),
            ],
        ),
    ]
