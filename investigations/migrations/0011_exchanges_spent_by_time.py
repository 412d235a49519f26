"""What models cost over a span of time is summed up in an index alone.

Made while others write; a second try after an interruption begins with what is left of the first.
"""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("investigations", "0010_endpoints_in_use"),
    ]

    operations = [
        migrations.RunSQL(
            "DROP INDEX CONCURRENTLY IF EXISTS exchanges_spent_by_time", migrations.RunSQL.noop, elidable=True
        ),
        AddIndexConcurrently(
            model_name="exchange",
            index=models.Index(
                fields=["created_at"], include=("investigation", "micros"), name="exchanges_spent_by_time"
            ),
        ),
        RemoveIndexConcurrently(model_name="exchange", name="exchanges_by_time"),
    ]
