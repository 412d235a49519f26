"""Say of each draft which ids and figures are shown by evidence, and keep what critics and graders said."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("investigations", "0005_exchanges"),
    ]

    operations = [
        migrations.AddField(
            model_name="draft",
            name="rubric_result",
            field=models.CharField(
                blank=True,
                choices=[
                    ("satisfied", "satisfied"),
                    ("needs_revision", "needs_revision"),
                    ("max_iterations_reached", "max_iterations_reached"),
                    ("failed", "failed"),
                    ("grader_error", "grader_error"),
                ],
                default="",
                help_text="how its grading ended; empty where no rubric was given",
                max_length=24,
            ),
        ),
        migrations.AddField(
            model_name="draft",
            name="written_by",
            field=models.CharField(default="code", help_text="code, model or external", max_length=20),
        ),
        migrations.AddField(
            model_name="investigation",
            name="critic_note",
            field=models.CharField(
                blank=True,
                default="",
                help_text="how the critic's look at it ended; empty without one",
                max_length=400,
            ),
        ),
        migrations.AddField(
            model_name="investigation",
            name="rubric",
            field=models.TextField(
                blank=True, default="", help_text="a criterion on each line, frozen when the run was opened"
            ),
        ),
        migrations.AlterField(
            model_name="draft",
            name="text",
            field=models.TextField(
                help_text="as people see it: what could not be shown is struck through or marked"
            ),
        ),
        migrations.CreateModel(
            name="Figure",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.CharField(help_text="as the draft writes it", max_length=60)),
                (
                    "draft",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="figures",
                        to="investigations.draft",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Objection",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("attempt", models.PositiveIntegerField()),
                (
                    "about",
                    models.CharField(
                        blank=True, default="", help_text="the fact, where it is about one", max_length=120
                    ),
                ),
                (
                    "refutation",
                    models.CharField(
                        blank=True, default="", help_text="of the rule, where it is one", max_length=120
                    ),
                ),
                ("entry", models.BigIntegerField()),
                ("says", models.TextField(blank=True)),
                ("endpoint", models.CharField(blank=True, default="", max_length=60)),
                ("model", models.CharField(blank=True, default="", max_length=200)),
                ("created_at", models.DateTimeField()),
                (
                    "investigation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="objections",
                        to="investigations.investigation",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Citation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        help_text="entry, trace, or a kind that the deployment declares", max_length=40
                    ),
                ),
                ("text", models.CharField(help_text="as the draft writes it first", max_length=200)),
                (
                    "value",
                    models.CharField(help_text="in the one form by which it is looked up", max_length=200),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("verified", "verified"),
                            ("missing", "missing"),
                            ("unchecked", "unchecked"),
                        ],
                        max_length=10,
                    ),
                ),
                ("reason", models.CharField(blank=True, default="", max_length=400)),
                (
                    "entry",
                    models.BigIntegerField(
                        blank=True, help_text="that names it, or by which it was not found", null=True
                    ),
                ),
                (
                    "link",
                    models.CharField(
                        blank=True, default="", help_text="of a verified one alone", max_length=500
                    ),
                ),
                (
                    "draft",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="citations",
                        to="investigations.draft",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("draft", "kind", "value"), name="one_citation_per_id_of_a_draft"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RubricEvaluation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("attempt", models.PositiveIntegerField()),
                ("iteration", models.PositiveIntegerField()),
                (
                    "result",
                    models.CharField(
                        choices=[
                            ("satisfied", "satisfied"),
                            ("needs_revision", "needs_revision"),
                            ("max_iterations_reached", "max_iterations_reached"),
                            ("failed", "failed"),
                            ("grader_error", "grader_error"),
                        ],
                        max_length=24,
                    ),
                ),
                ("explanation", models.TextField(blank=True, default="")),
                (
                    "criteria",
                    models.JSONField(
                        help_text="each criterion's id and text, whether it is met, and the gap"
                    ),
                ),
                ("rubric_digest", models.CharField(max_length=64)),
                ("prompt_digest", models.CharField(blank=True, default="", max_length=64)),
                ("endpoint", models.CharField(blank=True, default="", max_length=60)),
                ("model", models.CharField(blank=True, default="", max_length=200)),
                ("draft", models.TextField(help_text="as it was graded")),
                ("draft_digest", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField()),
                (
                    "investigation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="evaluations",
                        to="investigations.investigation",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("investigation", "rubric_digest", "iteration"),
                        name="one_grading_per_iteration",
                    )
                ],
            },
        ),
    ]
