"""Whether anybody opened an incident before it was closed: in a table of its own, no incident is written."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("incidents", "0012_deliveries_by_time"),
    ]

    operations = [
        migrations.RunSQL("SET LOCAL lock_timeout = '5s'", migrations.RunSQL.noop),
        migrations.CreateModel(
            name="Opening",
            fields=[
                (
                    "incident",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="opening",
                        serialize=False,
                        to="incidents.incident",
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "is_closing",
                    models.BooleanField(default=False, help_text="it was closed, and nobody had opened it"),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_closing", True)), fields=["at"], name="closed_unopened"
                    )
                ],
            },
        ),
    ]
