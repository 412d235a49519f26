"""An evaluation, its cases, each run of them and what was said in it."""

from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="Evaluation",
        fields=[
            _KEY,
            ("chosen", models.TextField(help_text="the set as it was asked for")),
            ("endpoint", models.CharField(max_length=40)),
            ("model", models.CharField(help_text="as the settings name it", max_length=200)),
            ("runs", models.PositiveIntegerField(help_text="of each case")),
            (
                "is_live",
                models.BooleanField(
                    default=False, help_text="calls that were never recorded go to live tools"
                ),
            ),
            ("cap_micros", models.PositiveBigIntegerField(blank=True, null=True)),
            (
                "spent_micros",
                models.BigIntegerField(default=0, help_text="booked at each exchange, of lost runs too"),
            ),
            (
                "reserved_micros",
                models.BigIntegerField(default=0, help_text="the most that open exchanges may cost"),
            ),
            ("set_digest", models.CharField(max_length=64)),
            ("prompt_digest", models.CharField(max_length=64)),
            ("contract_digest", models.CharField(max_length=64)),
            ("rulebook_digest", models.CharField(max_length=64)),
            (
                "endpoint_digest",
                models.CharField(help_text="of the endpoint's settings without its key", max_length=64),
            ),
            (
                "stopped",
                models.CharField(
                    blank=True,
                    choices=[(each, each) for each in ("cap", "down", "interrupted")],
                    default="",
                    max_length=12,
                ),
            ),
            ("note", models.TextField(blank=True, default="", help_text="why it stopped, in words")),
            ("asked_by", models.CharField(max_length=200)),
            ("created_at", models.DateTimeField()),
            ("finished_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={"ordering": ("-pk",)},
    ),
    migrations.CreateModel(
        name="EvaluationCase",
        fields=[
            _KEY,
            (
                "evaluation",
                models.ForeignKey(on_delete=models.CASCADE, related_name="cases", to="trials.evaluation"),
            ),
            ("position", models.PositiveIntegerField()),
            (
                "key",
                models.CharField(
                    help_text="the incident's number, or the file's name in its folder", max_length=300
                ),
            ),
            ("incident_id", models.BigIntegerField(blank=True, null=True)),
            ("path", models.TextField(blank=True, default="")),
            ("title", models.CharField(max_length=300)),
            ("kind", models.CharField(max_length=10)),
            (
                "is_twin",
                models.BooleanField(default=False, help_text="a healthy window: nothing there may pass"),
            ),
            (
                "actual",
                models.CharField(help_text="what really was so: pass, fail, not comparable", max_length=20),
            ),
            (
                "rule",
                models.CharField(blank=True, default="", help_text="whose facts are needed", max_length=120),
            ),
            (
                "needs",
                models.JSONField(default=list, help_text="the facts of the rule that can be asked here"),
            ),
            ("answers", models.PositiveIntegerField(help_text="recorded questions that have an answer")),
            (
                "erased",
                models.PositiveIntegerField(default=0, help_text="recorded answers whose content was erased"),
            ),
            ("world_digest", models.CharField(max_length=64)),
            (
                "recorded_passed",
                models.BooleanField(blank=True, help_text="the verdict of that time", null=True),
            ),
            ("playbook_passed", models.BooleanField(blank=True, null=True)),
            ("playbook_gathered", models.JSONField(default=list)),
            (
                "title_passed",
                models.BooleanField(blank=True, help_text="guessed from the title alone", null=True),
            ),
        ],
        options={
            "ordering": ("position",),
            "constraints": [
                models.UniqueConstraint(fields=("evaluation", "position"), name="one_case_of_each_position")
            ],
        },
    ),
    migrations.CreateModel(
        name="EvaluationRun",
        fields=[
            _KEY,
            (
                "evaluation",
                models.ForeignKey(on_delete=models.CASCADE, related_name="all_runs", to="trials.evaluation"),
            ),
            (
                "case",
                models.ForeignKey(on_delete=models.CASCADE, related_name="runs", to="trials.evaluationcase"),
            ),
            ("number", models.PositiveIntegerField(help_text="from 1 within the case")),
            (
                "state",
                models.CharField(
                    choices=[(each, each) for each in ("waiting", "running", "done", "down", "left_out")],
                    default="waiting",
                    max_length=10,
                ),
            ),
            ("attempt", models.PositiveIntegerField(default=0)),
            (
                "outcome",
                models.CharField(
                    blank=True,
                    choices=[
                        (each, each)
                        for each in (
                            "first_pass",
                            "repaired",
                            "fallback",
                            "refused",
                            "cut_off",
                            "endpoint_down",
                        )
                    ],
                    default="",
                    max_length=14,
                ),
            ),
            ("reason", models.TextField(blank=True, default="")),
            ("hypothesis", models.CharField(blank=True, default="", max_length=120)),
            (
                "passed_before",
                models.BooleanField(blank=True, help_text="on the agent's own calls alone", null=True),
            ),
            (
                "passed",
                models.BooleanField(blank=True, help_text="after code asked what was missing", null=True),
            ),
            ("decided_by", models.TextField(blank=True, default="")),
            (
                "gathered",
                models.JSONField(default=list, help_text="needed facts that the agent asked for by itself"),
            ),
            ("calls", models.PositiveIntegerField(default=0)),
            (
                "own_calls",
                models.PositiveIntegerField(default=0, help_text="of the agent, before code asked"),
            ),
            ("not_recorded", models.PositiveIntegerField(default=0)),
            ("live", models.PositiveIntegerField(default=0)),
            (
                "redeclared",
                models.PositiveIntegerField(
                    default=0, help_text="answers recorded when the tool was declared otherwise"
                ),
            ),
            ("refused", models.PositiveIntegerField(default=0)),
            ("exchanges", models.PositiveIntegerField(default=0)),
            ("citations_missing", models.PositiveIntegerField(default=0)),
            ("citations_unchecked", models.PositiveIntegerField(default=0)),
            ("tokens_in", models.PositiveBigIntegerField(default=0)),
            ("tokens_out", models.PositiveBigIntegerField(default=0)),
            ("micros", models.PositiveBigIntegerField(default=0)),
            ("model_seconds", models.FloatField(default=0.0)),
            ("seconds", models.FloatField(default=0.0)),
            (
                "model",
                models.CharField(blank=True, default="", help_text="as the replies name it", max_length=200),
            ),
            ("fingerprint", models.CharField(blank=True, default="", max_length=200)),
            ("critic_note", models.CharField(blank=True, default="", max_length=400)),
            ("finished_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ("case_id", "number"),
            "indexes": [models.Index(fields=["evaluation", "state"], name="evaluation_runs_by_state")],
            "constraints": [
                models.UniqueConstraint(
                    fields=("evaluation", "case", "number"), name="one_run_of_each_number_of_a_case"
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="EvaluationTranscript",
        fields=[
            _KEY,
            (
                "run",
                models.OneToOneField(
                    on_delete=models.CASCADE, related_name="transcript", to="trials.evaluationrun"
                ),
            ),
            (
                "body",
                models.TextField(
                    help_text="canonical JSON: the steps in order, then the answers to its calls"
                ),
            ),
        ],
    ),
]
