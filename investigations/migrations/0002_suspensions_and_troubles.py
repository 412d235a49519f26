"""Suspended rules, and each fact that could not be answered, by which drift is seen."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("investigations", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="RuleSuspension",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("rule", models.CharField(max_length=120)),
                ("because", models.CharField(max_length=300)),
                (
                    "made_by",
                    models.CharField(help_text="person:NAME, or the code that did it", max_length=200),
                ),
                ("made_at", models.DateTimeField()),
                ("lifted_by", models.CharField(blank=True, default="", max_length=200)),
                ("lifted_at", models.DateTimeField(blank=True, null=True)),
                ("lifted_because", models.CharField(blank=True, default="", max_length=300)),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("lifted_at", None)),
                        fields=("rule",),
                        name="one_standing_suspension_per_rule",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="FactTrouble",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("rule", models.CharField(max_length=120)),
                ("fact", models.CharField(max_length=120)),
                ("tool", models.CharField(max_length=120)),
                (
                    "path",
                    models.CharField(
                        blank=True, default="", help_text="of the field, where one is named", max_length=200
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("missing", "missing"),
                            ("mismatch", "mismatch"),
                            ("unanswered", "unanswered"),
                        ],
                        max_length=12,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                (
                    "opened_incident",
                    models.BooleanField(default=False, help_text="it was this one that told of a drift"),
                ),
                (
                    "verdict",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="troubles",
                        to="investigations.verdict",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["rule", "created_at"], name="fact_troubles_by_rule")],
            },
        ),
    ]
