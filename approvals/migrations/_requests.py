"""A proposed write, the decisions on it, its executions."""

from django.conf import settings
from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="ActionRequest",
        fields=[
            _KEY,
            ("incident_id", models.BigIntegerField(blank=True, db_index=True, null=True)),
            ("investigation_id", models.BigIntegerField(blank=True, null=True)),
            ("team_id", models.BigIntegerField(blank=True, null=True)),
            ("action", models.CharField(max_length=80)),
            ("target", models.CharField(help_text="what is locked while the write runs", max_length=300)),
            ("risk", models.CharField(choices=[(each, each) for each in ("low", "high")], max_length=8)),
            ("arguments", models.TextField(default="{}", help_text="as they were proposed, canonical JSON")),
            ("cites", models.TextField(default="[]", help_text="ids of the cited entries, canonical JSON")),
            (
                "call_digest",
                models.CharField(
                    blank=True,
                    default="",
                    help_text="SHA-256 of action and arguments: equal calls",
                    max_length=64,
                ),
            ),
            ("body", models.TextField(blank=True, default="", help_text="empty until it is prepared")),
            ("digest", models.CharField(blank=True, default="", max_length=64)),
            (
                "reason",
                models.TextField(
                    help_text="why it is proposed, by whoever proposed it; marked as their words"
                ),
            ),
            (
                "proposed_by",
                models.CharField(help_text="the actor as the audit log names it", max_length=200),
            ),
            ("proposer", models.BigIntegerField(default=0, help_text="the person who proposed it")),
            ("editor", models.BigIntegerField(default=0, help_text="the person who edited it last")),
            (
                "token_owner",
                models.BigIntegerField(default=0, help_text="who owns the token behind the agent"),
            ),
            (
                "state",
                models.CharField(
                    choices=[
                        (each, each)
                        for each in (
                            "proposed",
                            "approved",
                            "executing",
                            "succeeded",
                            "failed",
                            "aborted",
                            "unknown",
                            "denied",
                            "expired",
                            "withdrawn",
                            "refused",
                        )
                    ],
                    default="proposed",
                    max_length=10,
                ),
            ),
            ("version", models.PositiveIntegerField(default=1)),
            (
                "outcome",
                models.TextField(blank=True, default="", help_text="`<gate>: <reason>`, or how it ended"),
            ),
            (
                "verification",
                models.CharField(
                    blank=True,
                    choices=[(each, each) for each in ("", "verified", "unverified")],
                    default="",
                    max_length=10,
                ),
            ),
            ("verified_how", models.TextField(blank=True, default="")),
            (
                "replaces",
                models.OneToOneField(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="replaced_by",
                    to="approvals.actionrequest",
                ),
            ),
            (
                "undoes",
                models.OneToOneField(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="rollback",
                    to="approvals.actionrequest",
                ),
            ),
            ("proposed_at", models.DateTimeField()),
            (
                "prepared_at",
                models.DateTimeField(
                    blank=True,
                    help_text="when the execute worker had read the target and tried the write dry",
                    null=True,
                ),
            ),
            (
                "approved_entry",
                models.BigIntegerField(
                    blank=True, help_text="the entry that holds every column as it was approved", null=True
                ),
            ),
            (
                "wanted_at",
                models.DateTimeField(
                    blank=True,
                    help_text="when somebody asked for an approved rollback; other requests: never",
                    null=True,
                ),
            ),
            ("wanted_by", models.CharField(blank=True, default="", max_length=200)),
            (
                "sent_at",
                models.DateTimeField(blank=True, help_text="when a worker was woken for it last", null=True),
            ),
            ("decide_by", models.DateTimeField()),
            ("approved_at", models.DateTimeField(blank=True, null=True)),
            ("execute_by", models.DateTimeField(blank=True, null=True)),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ("-pk",),
            "indexes": [
                models.Index(
                    condition=models.Q(("state__in", ["proposed", "approved", "executing", "unknown"])),
                    fields=["state", "decide_by"],
                    name="open_action_requests",
                ),
                models.Index(fields=["call_digest"], name="action_requests_by_call"),
            ],
            "constraints": [
                models.UniqueConstraint(
                    fields=("id", "digest", "proposer", "editor", "token_owner"),
                    name="a_decision_names_these",
                ),
                models.UniqueConstraint(
                    condition=models.Q(("state__in", ["executing", "unknown"])),
                    fields=("target",),
                    name="one_write_at_a_time_on_a_target",
                ),
                models.CheckConstraint(
                    condition=models.Q(("decide_by__gt", models.F("proposed_at"))),
                    name="request_ends_after_it_begins",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="BreakGlass",
        fields=[
            _KEY,
            (
                "holder",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="broken_glass", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("reason", models.TextField()),
            ("began_at", models.DateTimeField()),
            ("ends_at", models.DateTimeField()),
            (
                "reviewed_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("reviewed_at", models.DateTimeField(blank=True, null=True)),
            ("review", models.TextField(blank=True, default="")),
        ],
        options={
            "ordering": ("-pk",),
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        ("reviewed_by", None),
                        models.Q(("reviewed_by", models.F("holder")), _negated=True),
                        _connector="OR",
                    ),
                    name="nobody_reviews_their_own_glass",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="Decision",
        fields=[
            _KEY,
            (
                "request",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="decisions", to="approvals.actionrequest"
                ),
            ),
            ("digest", models.CharField(max_length=64)),
            ("proposer", models.BigIntegerField()),
            ("editor", models.BigIntegerField()),
            ("token_owner", models.BigIntegerField()),
            (
                "person",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="decisions", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "choice",
                models.CharField(choices=[(each, each) for each in ("approve", "deny")], max_length=8),
            ),
            (
                "group",
                models.CharField(
                    help_text="the role in which they decided; a quorum counts them", max_length=40
                ),
            ),
            ("reason", models.TextField()),
            ("method", models.CharField(help_text="of the step-up: passkey, totp, ...", max_length=20)),
            ("method_at", models.DateTimeField()),
            (
                "opened_at",
                models.DateTimeField(blank=True, help_text="when they first saw the page", null=True),
            ),
            ("decided_at", models.DateTimeField()),
            (
                "glass",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="decisions",
                    to="approvals.breakglass",
                ),
            ),
            ("entry", models.BigIntegerField(blank=True, help_text="the entry that records it", null=True)),
        ],
        options={
            "ordering": ("pk",),
            "constraints": [
                models.UniqueConstraint(fields=("request", "person"), name="one_decision_per_person"),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("person", models.F("proposer")), _negated=True),
                        models.Q(("person", models.F("editor")), _negated=True),
                        models.Q(("person", models.F("token_owner")), _negated=True),
                    ),
                    name="nobody_decides_their_own",
                ),
                models.CheckConstraint(
                    condition=models.Q(("digest", ""), _negated=True), name="nobody_decides_the_unprepared"
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Execution",
        fields=[
            _KEY,
            (
                "request",
                models.OneToOneField(
                    on_delete=models.PROTECT, related_name="execution", to="approvals.actionrequest"
                ),
            ),
            (
                "key",
                models.CharField(
                    help_text="the idempotency token given to the target", max_length=64, unique=True
                ),
            ),
            ("switch_version", models.PositiveBigIntegerField()),
            ("claimed_at", models.DateTimeField()),
            ("lease_until", models.DateTimeField()),
            ("intent_entry", models.BigIntegerField(blank=True, null=True)),
            ("called_at", models.DateTimeField(blank=True, null=True)),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
            ("result_entry", models.BigIntegerField(blank=True, null=True)),
            (
                "result",
                models.TextField(blank=True, default="", help_text="canonical JSON of what the target said"),
            ),
            (
                "after_version",
                models.CharField(
                    blank=True,
                    default="",
                    help_text="of the target, as it was read after the write",
                    max_length=200,
                ),
            ),
            (
                "verify_at",
                models.DateTimeField(blank=True, help_text="when the effect is looked for", null=True),
            ),
            (
                "settled_by",
                models.CharField(
                    blank=True, default="", help_text="who settled an unknown one", max_length=200
                ),
            ),
            ("settled_because", models.TextField(blank=True, default="")),
        ],
        options={
            "indexes": [
                models.Index(
                    condition=models.Q(("ended_at", None)), fields=["lease_until"], name="open_executions"
                )
            ]
        },
    ),
    migrations.CreateModel(
        name="GateAnswer",
        fields=[
            _KEY,
            (
                "request",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="gate_answers", to="approvals.actionrequest"
                ),
            ),
            (
                "phase",
                models.CharField(
                    choices=[(each, each) for each in ("shown", "before claim", "before call")], max_length=12
                ),
            ),
            ("place", models.PositiveSmallIntegerField(help_text="the order in which the gates were asked")),
            ("gate", models.CharField(max_length=40)),
            (
                "answer",
                models.CharField(
                    choices=[
                        (each, each) for each in ("ok", "blocked", "could_not_check", "skipped_by_policy")
                    ],
                    max_length=20,
                ),
            ),
            ("sentence", models.TextField()),
            ("at", models.DateTimeField()),
        ],
        options={"ordering": ("pk",)},
    ),
    migrations.CreateModel(
        name="CredentialProbe",
        fields=[
            _KEY,
            ("credential", models.CharField(max_length=80, unique=True)),
            ("is_ok", models.BooleanField()),
            ("sentence", models.TextField()),
            ("probed_at", models.DateTimeField()),
        ],
    ),
    migrations.CreateModel(
        name="Look",
        fields=[
            _KEY,
            (
                "request",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="looks", to="approvals.actionrequest"
                ),
            ),
            (
                "person",
                models.ForeignKey(on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
            ),
            ("first_at", models.DateTimeField()),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("request", "person"), name="one_first_look_per_person")
            ]
        },
    ),
]
