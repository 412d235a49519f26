"""A model's run is kept step by step, with how it ended, what a person told it and what it handed in."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("investigations", "0003_questions"),
    ]

    operations = [
        migrations.AddField(
            model_name="investigation",
            name="contract_digest",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
        migrations.AddField(
            model_name="investigation",
            name="model",
            field=models.CharField(
                blank=True, default="", help_text="as the endpoint named it", max_length=200
            ),
        ),
        migrations.AddField(
            model_name="investigation",
            name="outcome",
            field=models.CharField(
                blank=True,
                choices=[
                    ("first_pass", "first_pass"),
                    ("repaired", "repaired"),
                    ("fallback", "fallback"),
                    ("refused", "refused"),
                    ("cut_off", "cut_off"),
                    ("endpoint_down", "endpoint_down"),
                ],
                default="",
                help_text="of a model's run: how it came to its submission",
                max_length=14,
            ),
        ),
        migrations.AddField(
            model_name="investigation",
            name="prompt_digest",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
        migrations.AddField(
            model_name="investigation",
            name="rulebook_digest",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
        migrations.CreateModel(
            name="RunNote",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.CharField(max_length=2000)),
                ("made_by", models.CharField(help_text="person:NAME", max_length=200)),
                ("made_at", models.DateTimeField()),
                (
                    "step",
                    models.PositiveIntegerField(
                        default=0, help_text="the step that told the model; 0 until then"
                    ),
                ),
                (
                    "investigation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="notes",
                        to="investigations.investigation",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Submitted",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("body", models.TextField(help_text="canonical JSON")),
                ("digest", models.CharField(max_length=64)),
                (
                    "contract_digest",
                    models.CharField(help_text="of the schema that it was held to", max_length=64),
                ),
                ("author", models.CharField(max_length=20)),
                ("created_at", models.DateTimeField()),
                (
                    "investigation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="investigations.investigation",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Step",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="from 1 within the run")),
                ("attempt", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("opening", "opening"),
                            ("reply", "reply"),
                            ("answer", "answer"),
                            ("repair", "repair"),
                            ("missing", "missing"),
                            ("feedback", "feedback"),
                            ("note", "note"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "body",
                    models.TextField(
                        help_text="canonical JSON of the messages as the model is shown them, redacted"
                    ),
                ),
                (
                    "exchange",
                    models.BigIntegerField(default=0, help_text="of a reply, where one was stored; else 0"),
                ),
                (
                    "entry",
                    models.BigIntegerField(
                        default=0, help_text="of an answered call: its audit entry; else 0"
                    ),
                ),
                ("tokens_in", models.PositiveIntegerField(default=0)),
                ("tokens_out", models.PositiveIntegerField(default=0)),
                ("micros", models.PositiveBigIntegerField(default=0)),
                ("seconds", models.FloatField(default=0.0)),
                ("created_at", models.DateTimeField()),
                (
                    "investigation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="steps",
                        to="investigations.investigation",
                    ),
                ),
            ],
            options={
                "ordering": ("number",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("investigation", "number"), name="one_step_of_each_number"
                    )
                ],
            },
        ),
    ]
