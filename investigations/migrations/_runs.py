"""One run over an incident: its steps, what it submitted, the case, the verdict, the draft."""

from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="Investigation",
        fields=[
            _KEY,
            ("incident_id", models.BigIntegerField(db_index=True)),
            ("investigator", models.CharField(default="playbook", max_length=20)),
            (
                "state",
                models.CharField(
                    choices=[
                        (each, each)
                        for each in (
                            "waiting",
                            "queued",
                            "running",
                            "judged",
                            "failed",
                            "exhausted",
                            "stopped",
                        )
                    ],
                    default="queued",
                    max_length=12,
                ),
            ),
            ("subject", models.TextField(help_text="canonical JSON of the frozen Subject")),
            ("attempt", models.PositiveIntegerField(default=0)),
            ("tries", models.PositiveIntegerField(default=0)),
            ("lease_until", models.DateTimeField(blank=True, null=True)),
            ("due_at", models.DateTimeField(blank=True, null=True)),
            ("created_at", models.DateTimeField()),
            ("queued_at", models.DateTimeField(blank=True, null=True)),
            ("sent_at", models.DateTimeField(blank=True, null=True)),
            ("started_at", models.DateTimeField(blank=True, null=True)),
            ("finished_at", models.DateTimeField(blank=True, null=True)),
            ("reason", models.TextField(blank=True, default="")),
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
                    help_text="of a model's run: how it came to its submission",
                    max_length=14,
                ),
            ),
            (
                "model",
                models.CharField(
                    blank=True, default="", help_text="as the endpoint named it", max_length=200
                ),
            ),
            ("prompt_digest", models.CharField(blank=True, default="", max_length=64)),
            ("contract_digest", models.CharField(blank=True, default="", max_length=64)),
            ("rulebook_digest", models.CharField(blank=True, default="", max_length=64)),
            (
                "rubric",
                models.TextField(
                    blank=True,
                    default="",
                    help_text="a criterion on each line, frozen when the run was opened",
                ),
            ),
            (
                "critic_note",
                models.CharField(
                    blank=True,
                    default="",
                    help_text="how the critic's look at it ended; empty without one",
                    max_length=400,
                ),
            ),
        ],
        options={
            "indexes": [
                models.Index(
                    condition=models.Q(("state__in", ["waiting", "queued", "running"])),
                    fields=["state", "lease_until", "due_at"],
                    name="open_investigations",
                ),
                models.Index(
                    condition=models.Q(("outcome", ""), _negated=True),
                    fields=["finished_at", "outcome"],
                    name="model_runs_by_end",
                ),
            ],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("state__in", ["waiting", "queued", "running"])),
                    fields=("incident_id",),
                    name="one_open_investigation",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="Step",
        fields=[
            _KEY,
            (
                "investigation",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="steps", to="investigations.investigation"
                ),
            ),
            ("number", models.PositiveIntegerField(help_text="from 1 within the run")),
            ("attempt", models.PositiveIntegerField()),
            (
                "kind",
                models.CharField(
                    choices=[
                        (each, each)
                        for each in ("opening", "reply", "answer", "repair", "missing", "feedback", "note")
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
                models.BigIntegerField(default=0, help_text="of an answered call: its audit entry; else 0"),
            ),
            ("tokens_in", models.PositiveIntegerField(default=0)),
            ("tokens_out", models.PositiveIntegerField(default=0)),
            ("micros", models.PositiveBigIntegerField(default=0)),
            ("seconds", models.FloatField(default=0.0)),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "ordering": ("number",),
            "constraints": [
                models.UniqueConstraint(fields=("investigation", "number"), name="one_step_of_each_number")
            ],
        },
    ),
    migrations.CreateModel(
        name="RunNote",
        fields=[
            _KEY,
            (
                "investigation",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="notes", to="investigations.investigation"
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
        ],
        options={"ordering": ("pk",)},
    ),
    migrations.CreateModel(
        name="Submitted",
        fields=[
            _KEY,
            (
                "investigation",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="submissions", to="investigations.investigation"
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
        ],
        options={"ordering": ("pk",)},
    ),
    migrations.CreateModel(
        name="Case",
        fields=[
            _KEY,
            (
                "investigation",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="cases", to="investigations.investigation"
                ),
            ),
            ("body", models.TextField()),
            ("digest", models.CharField(max_length=64)),
            ("judged_at", models.DateTimeField()),
        ],
    ),
    migrations.CreateModel(
        name="Verdict",
        fields=[
            _KEY,
            (
                "case",
                models.OneToOneField(
                    on_delete=models.PROTECT, related_name="verdict", to="investigations.case"
                ),
            ),
            (
                "investigation",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="verdicts", to="investigations.investigation"
                ),
            ),
            ("passed", models.BooleanField()),
            ("hypothesis", models.CharField(max_length=120)),
            ("reason", models.TextField()),
            (
                "body",
                models.TextField(help_text="canonical JSON of the verdict: every fact's outcome and reason"),
            ),
            ("rulebook_digest", models.CharField(max_length=64)),
            ("created_at", models.DateTimeField()),
        ],
        options={"ordering": ("pk",)},
    ),
    migrations.CreateModel(
        name="Draft",
        fields=[
            _KEY,
            (
                "investigation",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="drafts", to="investigations.investigation"
                ),
            ),
            (
                "verdict",
                models.OneToOneField(
                    on_delete=models.PROTECT, related_name="draft", to="investigations.verdict"
                ),
            ),
            (
                "text",
                models.TextField(
                    help_text="as people see it: what could not be shown is struck through or marked"
                ),
            ),
            (
                "written_by",
                models.CharField(default="code", help_text="code, model or external", max_length=20),
            ),
            (
                "rubric_result",
                models.CharField(
                    blank=True,
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
                    default="",
                    help_text="how its grading ended; empty where no rubric was given",
                    max_length=24,
                ),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={"ordering": ("pk",)},
    ),
]
