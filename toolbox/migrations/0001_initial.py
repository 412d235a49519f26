"""Tool rules, asks that wait for a person, calls as searches need them; proofs of connectors and what people acknowledged."""

from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="ToolRule",
        fields=[
            _KEY,
            (
                "effect",
                models.CharField(
                    choices=[("deny", "Deny"), ("pause", "Pause"), ("ask", "Ask")], max_length=8
                ),
            ),
            (
                "tool",
                models.CharField(help_text="a tool's name; * and ? stand for any letters", max_length=100),
            ),
            (
                "caller",
                models.CharField(
                    default="*", help_text="who asks, such as token:* or model*", max_length=200
                ),
            ),
            (
                "arguments",
                models.JSONField(default=dict, help_text="argument name to pattern; all of them must match"),
            ),
            ("because", models.CharField(max_length=300)),
            ("made_by", models.CharField(max_length=200)),
            ("made_at", models.DateTimeField()),
            ("ended_by", models.CharField(blank=True, default="", max_length=200)),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ("pk",),
            "indexes": [
                models.Index(
                    condition=models.Q(("ended_at", None)), fields=["effect"], name="toolrule_standing"
                )
            ],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("effect", "pause"), ("ended_at", None)),
                    fields=("tool",),
                    name="toolrule_one_pause_a_tool",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("effect", "pause"), _negated=True),
                        models.Q(("arguments", {}), ("caller", "*")),
                        _connector="OR",
                    ),
                    name="toolrule_a_pause_is_for_all",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("ended_at", None), ("ended_by", "")),
                        models.Q(("ended_at__isnull", False), models.Q(("ended_by", ""), _negated=True)),
                        _connector="OR",
                    ),
                    name="toolrule_ended_by_somebody",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Ask",
        fields=[
            _KEY,
            ("rule", models.BigIntegerField(help_text="the tool rule that demands it")),
            ("tool", models.CharField(max_length=100)),
            ("caller", models.CharField(max_length=200)),
            (
                "shown",
                models.JSONField(
                    default=dict, help_text="the arguments as the page shows them: redacted, cut"
                ),
            ),
            (
                "arguments_digest",
                models.CharField(help_text="SHA-256 of the arguments in their one form", max_length=64),
            ),
            ("incident", models.BigIntegerField(blank=True, null=True)),
            ("investigation", models.BigIntegerField(blank=True, null=True)),
            ("opened_at", models.DateTimeField()),
            ("expires_at", models.DateTimeField()),
            (
                "answer",
                models.CharField(
                    blank=True,
                    choices=[("allowed", "Allowed"), ("refused", "Refused"), ("expired", "Expired")],
                    default="",
                    max_length=8,
                ),
            ),
            ("answered_by", models.CharField(blank=True, default="", max_length=200)),
            ("answered_at", models.DateTimeField(blank=True, null=True)),
            ("words", models.CharField(blank=True, default="", max_length=300)),
        ],
        options={
            "ordering": ("pk",),
            "indexes": [
                models.Index(condition=models.Q(("answer", "")), fields=["expires_at"], name="ask_open")
            ],
        },
    ),
    migrations.CreateModel(
        name="Call",
        fields=[
            ("entry", models.BigIntegerField(primary_key=True, serialize=False)),
            ("leaf", models.CharField(max_length=64)),
            ("recorded_at", models.DateTimeField()),
            ("tool", models.CharField(max_length=100)),
            ("connector", models.CharField(blank=True, max_length=64)),
            ("status", models.CharField(max_length=16)),
            ("stopped_by", models.CharField(blank=True, help_text="the step that refused it", max_length=16)),
            ("caller", models.CharField(max_length=200)),
            ("incident", models.BigIntegerField(blank=True, null=True)),
            ("investigation", models.BigIntegerField(blank=True, null=True)),
            ("milliseconds", models.PositiveIntegerField()),
        ],
        options={
            "ordering": ("-entry",),
            "indexes": [
                models.Index(fields=["tool", "-entry"], name="call_by_tool"),
                models.Index(fields=["status", "-entry"], name="call_by_status"),
                models.Index(fields=["caller", "-entry"], name="call_by_caller"),
                models.Index(fields=["recorded_at"], name="call_by_time"),
            ],
        },
    ),
    migrations.CreateModel(
        name="ConnectorProof",
        fields=[
            _KEY,
            ("connector", models.CharField(max_length=64, unique=True)),
            (
                "credential",
                models.CharField(blank=True, help_text="role@database, as the server says", max_length=200),
            ),
            (
                "standing",
                models.CharField(
                    choices=[("proven", "Proven"), ("refused", "Refused"), ("unproven", "Unproven")],
                    max_length=8,
                ),
            ),
            ("reason", models.TextField(blank=True, help_text="why its tools are not served")),
            ("findings", models.JSONField(default=list)),
            ("milliseconds", models.PositiveIntegerField(default=0)),
            ("proven_at", models.DateTimeField()),
            ("since", models.DateTimeField(help_text="since when it has stood like this")),
        ],
        options={"ordering": ("connector",)},
    ),
    migrations.CreateModel(
        name="ResidualAcknowledgement",
        fields=[
            _KEY,
            ("connector", models.CharField(max_length=64)),
            ("credential", models.CharField(max_length=200)),
            ("name", models.CharField(max_length=64)),
            ("objects_found", models.JSONField(default=list)),
            ("because", models.CharField(max_length=300)),
            ("acknowledged_by", models.CharField(max_length=200)),
            ("acknowledged_at", models.DateTimeField()),
            ("ended_by", models.CharField(blank=True, default="", max_length=200)),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ("pk",),
            "indexes": [
                models.Index(
                    condition=models.Q(("ended_at", None)),
                    fields=["connector", "credential"],
                    name="residual_standing",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="ToolAcknowledgement",
        fields=[
            _KEY,
            ("tool", models.CharField(max_length=64)),
            ("digest", models.CharField(max_length=64)),
            ("declaration", models.TextField(help_text="the whole declaration as canonical JSON")),
            ("is_first", models.BooleanField(default=False)),
            ("acknowledged_by", models.CharField(max_length=200)),
            ("acknowledged_at", models.DateTimeField()),
        ],
        options={
            "ordering": ("pk",),
            "constraints": [
                models.UniqueConstraint(fields=("tool", "digest"), name="toolacknowledgement_once"),
                models.UniqueConstraint(
                    condition=models.Q(("is_first", True)),
                    fields=("tool",),
                    name="toolacknowledgement_one_first",
                ),
            ],
        },
    ),
]


class Migration(migrations.Migration):
    initial = True
    # So that a database that had them all goes on without work.
    replaces = [
        ("toolbox", "0001_tool_rules_and_calls"),
        ("toolbox", "0002_proofs_and_acknowledgements"),
    ]
    dependencies = []
    operations = TABLES
