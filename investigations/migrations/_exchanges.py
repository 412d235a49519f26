"""What models were asked and replied: in runs, in questions of people, about issues."""

from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="Transcript",
        fields=[
            _KEY,
            ("digest", models.CharField(max_length=64, unique=True)),
            ("body", models.TextField(help_text="JSON, redacted; written once")),
            ("created_at", models.DateTimeField()),
        ],
    ),
    migrations.CreateModel(
        name="Exchange",
        fields=[
            _KEY,
            (
                "investigation",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="exchanges",
                    to="investigations.investigation",
                ),
            ),
            ("incident_id", models.BigIntegerField(blank=True, null=True)),
            (
                "purpose",
                models.CharField(
                    choices=[
                        (each, each)
                        for each in (
                            "investigator",
                            "critic",
                            "grader",
                            "ask",
                            "candidate",
                            "classifier",
                            "probe",
                        )
                    ],
                    max_length=12,
                ),
            ),
            ("endpoint", models.CharField(max_length=40)),
            (
                "model",
                models.CharField(help_text="as the reply names it, else as it was asked for", max_length=200),
            ),
            ("fingerprint", models.CharField(blank=True, default="", max_length=200)),
            (
                "step",
                models.PositiveIntegerField(help_text="counts the exchanges of one run for one purpose"),
            ),
            ("transcript_digest", models.CharField(blank=True, default="", max_length=64)),
            (
                "outcome",
                models.CharField(
                    choices=[
                        (each, each)
                        for each in ("sent", "stop", "tool_calls", "cut_off", "refused", "unknown", "down")
                    ],
                    default="sent",
                    max_length=12,
                ),
            ),
            ("reason", models.TextField(blank=True, default="", help_text="why no reply came, in words")),
            (
                "tries",
                models.PositiveIntegerField(default=0, help_text="requests made, the last one included"),
            ),
            ("tokens_in", models.PositiveBigIntegerField(default=0)),
            ("tokens_out", models.PositiveBigIntegerField(default=0)),
            (
                "micros",
                models.PositiveBigIntegerField(
                    default=0, help_text="millionths of the currency of the prices"
                ),
            ),
            ("seconds", models.FloatField(default=0.0)),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "ordering": ("pk",),
            "indexes": [
                models.Index(fields=["incident_id"], name="exchanges_by_incident"),
                models.Index(
                    fields=["created_at"], include=("investigation", "micros"), name="exchanges_spent_by_time"
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Question",
        fields=[
            _KEY,
            ("incident_id", models.BigIntegerField(db_index=True)),
            ("asked_by", models.CharField(help_text="person:NAME", max_length=200)),
            ("text", models.TextField()),
            ("subject", models.TextField(help_text="canonical JSON of the frozen Subject")),
            (
                "state",
                models.CharField(
                    choices=[(each, each) for each in ("queued", "running", "answered", "failed", "stopped")],
                    default="queued",
                    max_length=12,
                ),
            ),
            ("attempt", models.PositiveIntegerField(default=0)),
            ("lease_until", models.DateTimeField(blank=True, null=True)),
            ("created_at", models.DateTimeField()),
            ("sent_at", models.DateTimeField(blank=True, null=True)),
            ("started_at", models.DateTimeField(blank=True, null=True)),
            ("finished_at", models.DateTimeField(blank=True, null=True)),
            ("answer", models.TextField(blank=True, default="")),
            (
                "citations",
                models.TextField(blank=True, default="[]", help_text="canonical JSON: each id, its standing"),
            ),
            (
                "reason",
                models.TextField(
                    blank=True, default="", help_text="why there is no answer, or what it lacks"
                ),
            ),
            ("calls", models.PositiveIntegerField(default=0)),
            ("tokens_in", models.PositiveBigIntegerField(default=0)),
            ("tokens_out", models.PositiveBigIntegerField(default=0)),
            ("micros", models.PositiveBigIntegerField(default=0)),
        ],
        options={
            "ordering": ("pk",),
            "indexes": [
                models.Index(
                    condition=models.Q(("state__in", ["queued", "running"])),
                    fields=["state", "lease_until"],
                    name="open_questions",
                )
            ],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("state__in", ["queued", "running"])),
                    fields=("incident_id", "asked_by"),
                    name="one_open_question_a_person",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="AskTurn",
        fields=[
            _KEY,
            (
                "question",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="turns", to="investigations.question"
                ),
            ),
            ("number", models.PositiveIntegerField()),
            ("kind", models.CharField(max_length=20)),
            ("body", models.TextField(help_text="canonical JSON, secrets masked")),
            ("entry", models.BigIntegerField(blank=True, help_text="of the tool call", null=True)),
            ("exchange", models.BigIntegerField(blank=True, help_text="of the model's reply", null=True)),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "ordering": ("pk",),
            "constraints": [
                models.UniqueConstraint(fields=("question", "number"), name="ask_turns_are_numbered")
            ],
        },
    ),
    migrations.CreateModel(
        name="Classified",
        fields=[
            _KEY,
            (
                "investigation",
                models.OneToOneField(
                    on_delete=models.PROTECT, related_name="classified", to="investigations.investigation"
                ),
            ),
            ("incident_id", models.BigIntegerField(db_index=True)),
            ("attempt", models.PositiveIntegerField()),
            (
                "status",
                models.CharField(
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
                    max_length=14,
                ),
            ),
            ("fenced", models.BooleanField(default=False, help_text="the reply stood in a code fence")),
            ("label", models.CharField(blank=True, default="", max_length=20)),
            ("reasons", models.JSONField(default=list, help_text="the model's codes, or a machine's own")),
            (
                "checks",
                models.JSONField(default=list, help_text="each claimed reason, and what code found of it"),
            ),
            ("needs_human", models.BooleanField(default=True)),
            ("why", models.TextField(blank=True, default="", help_text="why a person has to look, in words")),
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
                models.CharField(help_text="of the title and body as they were classified", max_length=64),
            ),
            ("created_at", models.DateTimeField()),
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
