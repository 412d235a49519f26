"""What code found of drafts and claims, and what holds rules back."""

from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="Citation",
        fields=[
            _KEY,
            (
                "draft",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="citations", to="investigations.draft"
                ),
            ),
            (
                "kind",
                models.CharField(
                    help_text="entry, trace, or a kind that the deployment declares", max_length=40
                ),
            ),
            ("text", models.CharField(help_text="as the draft writes it first", max_length=200)),
            ("value", models.CharField(help_text="in the one form by which it is looked up", max_length=200)),
            (
                "state",
                models.CharField(
                    choices=[(each, each) for each in ("verified", "missing", "unchecked")], max_length=10
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
                models.CharField(blank=True, default="", help_text="of a verified one alone", max_length=500),
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
        name="Figure",
        fields=[
            _KEY,
            (
                "draft",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="figures", to="investigations.draft"
                ),
            ),
            ("text", models.CharField(help_text="as the draft writes it", max_length=60)),
        ],
        options={"ordering": ("pk",)},
    ),
    migrations.CreateModel(
        name="Objection",
        fields=[
            _KEY,
            (
                "investigation",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="objections", to="investigations.investigation"
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
        ],
        options={"ordering": ("pk",)},
    ),
    migrations.CreateModel(
        name="RubricEvaluation",
        fields=[
            _KEY,
            (
                "investigation",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="evaluations", to="investigations.investigation"
                ),
            ),
            ("attempt", models.PositiveIntegerField()),
            ("iteration", models.PositiveIntegerField()),
            (
                "result",
                models.CharField(
                    choices=[
                        (each, each)
                        for each in (
                            "satisfied",
                            "needs_revision",
                            "max_iterations_reached",
                            "failed",
                            "grader_error",
                        )
                    ],
                    max_length=24,
                ),
            ),
            ("explanation", models.TextField(blank=True, default="")),
            (
                "criteria",
                models.JSONField(help_text="each criterion's id and text, whether it is met, and the gap"),
            ),
            ("rubric_digest", models.CharField(max_length=64)),
            ("prompt_digest", models.CharField(blank=True, default="", max_length=64)),
            ("endpoint", models.CharField(blank=True, default="", max_length=60)),
            ("model", models.CharField(blank=True, default="", max_length=200)),
            ("draft", models.TextField(help_text="as it was graded")),
            ("draft_digest", models.CharField(max_length=64)),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "ordering": ("pk",),
            "constraints": [
                models.UniqueConstraint(
                    fields=("investigation", "rubric_digest", "iteration"), name="one_grading_per_iteration"
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="RuleSuspension",
        fields=[
            _KEY,
            ("rule", models.CharField(max_length=120)),
            ("because", models.CharField(max_length=300)),
            ("made_by", models.CharField(help_text="person:NAME, or the code that did it", max_length=200)),
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
            _KEY,
            (
                "verdict",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="troubles", to="investigations.verdict"
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
                    choices=[(each, each) for each in ("missing", "mismatch", "unanswered")], max_length=12
                ),
            ),
            ("created_at", models.DateTimeField()),
            (
                "opened_incident",
                models.BooleanField(default=False, help_text="it was this one that told of a drift"),
            ),
        ],
        options={"indexes": [models.Index(fields=["rule", "created_at"], name="fact_troubles_by_rule")]},
    ),
]
