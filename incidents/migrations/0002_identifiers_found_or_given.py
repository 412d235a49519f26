"""Identifiers beyond the sender's fields (by pattern, person or model), and a source's patterns."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("incidents", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="source",
            name="patterns",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="identifiers found in the text: a name and a pattern for each",
            ),
        ),
        migrations.AlterField(
            model_name="incident",
            name="identifiers",
            field=models.JSONField(
                default=dict,
                help_text="what rules may ask about, from the sender's fields; see Identifier for the rest",
            ),
        ),
        migrations.CreateModel(
            name="Identifier",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("value", models.CharField(max_length=200)),
                (
                    "origin",
                    models.CharField(
                        choices=[("pattern", "pattern"), ("person", "person"), ("model", "model")],
                        max_length=8,
                    ),
                ),
                ("named_by", models.CharField(max_length=200)),
                ("named_at", models.DateTimeField()),
                ("confirmed_by", models.CharField(blank=True, default="", max_length=200)),
                ("confirmed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "incident",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="found_identifiers",
                        to="incidents.incident",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
    ]
