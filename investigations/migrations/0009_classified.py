"""How issues are classified: one row a run, and a label only where the contract was met."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("investigations", "0008_classifier_exchanges"),
    ]

    operations = [
        migrations.CreateModel(
            name="Classified",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("incident_id", models.BigIntegerField(db_index=True)),
                ("attempt", models.PositiveIntegerField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("first_pass", "first_pass"),
                            ("repaired", "repaired"),
                            ("fallback", "fallback"),
                            ("refused", "refused"),
                            ("cut_off", "cut_off"),
                            ("endpoint_down", "endpoint_down"),
                        ],
                        max_length=14,
                    ),
                ),
                ("fenced", models.BooleanField(default=False, help_text="the reply stood in a code fence")),
                ("label", models.CharField(blank=True, default="", max_length=20)),
                (
                    "reasons",
                    models.JSONField(default=list, help_text="the model's codes, or a machine's own"),
                ),
                (
                    "checks",
                    models.JSONField(
                        default=list, help_text="each claimed reason, and what code found of it"
                    ),
                ),
                ("needs_human", models.BooleanField(default=True)),
                (
                    "why",
                    models.TextField(blank=True, default="", help_text="why a person has to look, in words"),
                ),
                (
                    "drifted",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="a label that it named and the version does not know",
                        max_length=60,
                    ),
                ),
                ("contract_version", models.CharField(max_length=20)),
                ("label_set", models.CharField(max_length=20)),
                ("contract_digest", models.CharField(max_length=64)),
                ("prompt_digest", models.CharField(max_length=64)),
                ("endpoint", models.CharField(max_length=40)),
                (
                    "model",
                    models.CharField(
                        blank=True, default="", help_text="as the last reply names it", max_length=200
                    ),
                ),
                ("fingerprint", models.CharField(blank=True, default="", max_length=200)),
                (
                    "exchanges",
                    models.JSONField(default=list, help_text="the ids of the exchanges with the model"),
                ),
                ("tokens_in", models.PositiveBigIntegerField(default=0)),
                ("tokens_out", models.PositiveBigIntegerField(default=0)),
                ("micros", models.PositiveBigIntegerField(default=0)),
                ("seconds", models.FloatField(default=0.0)),
                (
                    "text_digest",
                    models.CharField(
                        help_text="of the title and body as they were classified", max_length=64
                    ),
                ),
                ("created_at", models.DateTimeField()),
                (
                    "investigation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="classified",
                        to="investigations.investigation",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "indexes": [
                    models.Index(
                        condition=models.Q(("drifted", ""), _negated=True),
                        fields=["created_at"],
                        name="classified_drifts",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__in", ["first_pass", "repaired"]), ("label", ""), _connector="XOR"
                        ),
                        name="a_label_where_the_contract_was_met",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("label", ""), _negated=True), ("needs_human", True), _connector="OR"
                        ),
                        name="without_a_label_a_person_looks",
                    ),
                ],
            },
        ),
    ]
