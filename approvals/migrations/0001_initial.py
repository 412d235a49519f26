"""The rows of approvals: requests, decisions that can't be one's own, executions, gates, the write switch."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import approvals.states


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="CredentialProbe",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("credential", models.CharField(max_length=80, unique=True)),
                ("is_ok", models.BooleanField()),
                ("sentence", models.TextField()),
                ("probed_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="ActionRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("incident_id", models.BigIntegerField(blank=True, db_index=True, null=True)),
                ("investigation_id", models.BigIntegerField(blank=True, null=True)),
                ("team_id", models.BigIntegerField(blank=True, null=True)),
                ("action", models.CharField(max_length=80)),
                ("target", models.CharField(help_text="what is locked while the write runs", max_length=300)),
                ("risk", models.CharField(choices=[("low", "low"), ("high", "high")], max_length=8)),
                ("body", models.TextField()),
                ("digest", models.CharField(max_length=64)),
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
                            ("proposed", "proposed"),
                            ("approved", "approved"),
                            ("executing", "executing"),
                            ("succeeded", "succeeded"),
                            ("failed", "failed"),
                            ("aborted", "aborted"),
                            ("unknown", "unknown"),
                            ("denied", "denied"),
                            ("expired", "expired"),
                            ("withdrawn", "withdrawn"),
                            ("refused", "refused"),
                        ],
                        default=approvals.states.State["PROPOSED"],
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
                        choices=[("", ""), ("verified", "verified"), ("unverified", "unverified")],
                        default=approvals.states.Verification["NOT_YET"],
                        max_length=10,
                    ),
                ),
                ("verified_how", models.TextField(blank=True, default="")),
                ("proposed_at", models.DateTimeField()),
                ("decide_by", models.DateTimeField()),
                ("approved_at", models.DateTimeField(blank=True, null=True)),
                ("execute_by", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "replaces",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="replaced_by",
                        to="approvals.actionrequest",
                    ),
                ),
                (
                    "undoes",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rollback",
                        to="approvals.actionrequest",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="Breaker",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("action", models.CharField(max_length=80)),
                ("target", models.CharField(max_length=300)),
                ("opened_at", models.DateTimeField()),
                ("because", models.CharField(max_length=300)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("closed_by", models.CharField(blank=True, default="", max_length=200)),
                ("closed_because", models.CharField(blank=True, default="", max_length=300)),
            ],
            options={
                "ordering": ("-pk",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("closed_at", None)),
                        fields=("action", "target"),
                        name="one_open_breaker",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="BreakGlass",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField()),
                ("began_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
                ("reviewed_at", models.DateTimeField(blank=True, null=True)),
                ("review", models.TextField(blank=True, default="")),
                (
                    "holder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="broken_glass",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "reviewed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                ("proposer", models.BigIntegerField()),
                ("editor", models.BigIntegerField()),
                ("token_owner", models.BigIntegerField()),
                (
                    "choice",
                    models.CharField(choices=[("approve", "approve"), ("deny", "deny")], max_length=8),
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
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "request",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to="approvals.actionrequest",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Execution",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                    models.TextField(
                        blank=True, default="", help_text="canonical JSON of what the target said"
                    ),
                ),
                (
                    "settled_by",
                    models.CharField(
                        blank=True, default="", help_text="who settled an unknown one", max_length=200
                    ),
                ),
                ("settled_because", models.TextField(blank=True, default="")),
                (
                    "request",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="execution",
                        to="approvals.actionrequest",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Freeze",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("title", models.CharField(max_length=120)),
                (
                    "scope",
                    models.CharField(
                        default="global", help_text="global, team:ID or action:NAME", max_length=120
                    ),
                ),
                ("starts_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
                ("made_by", models.CharField(max_length=200)),
                ("made_at", models.DateTimeField()),
                ("ended_by", models.CharField(blank=True, default="", max_length=200)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("starts_at",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("ends_at__gt", models.F("starts_at"))),
                        name="freeze_ends_after_it_begins",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="GateAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "phase",
                    models.CharField(
                        choices=[
                            ("shown", "shown"),
                            ("before claim", "before claim"),
                            ("before call", "before call"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "place",
                    models.PositiveSmallIntegerField(help_text="the order in which the gates were asked"),
                ),
                ("gate", models.CharField(max_length=40)),
                (
                    "answer",
                    models.CharField(
                        choices=[
                            ("ok", "ok"),
                            ("blocked", "blocked"),
                            ("could_not_check", "could_not_check"),
                            ("skipped_by_policy", "skipped_by_policy"),
                        ],
                        max_length=20,
                    ),
                ),
                ("sentence", models.TextField()),
                ("at", models.DateTimeField()),
                (
                    "request",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="gate_answers",
                        to="approvals.actionrequest",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="WriteSwitch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "scope",
                    models.CharField(help_text="global, team:ID or action:NAME", max_length=120, unique=True),
                ),
                ("writes_enabled", models.BooleanField(default=False)),
                ("version", models.PositiveBigIntegerField(default=1)),
                ("changed_at", models.DateTimeField()),
                ("changed_by", models.CharField(max_length=200)),
                ("wanted_at", models.DateTimeField(blank=True, null=True)),
                ("because", models.CharField(blank=True, default="", max_length=300)),
                (
                    "wanted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="actionrequest",
            index=models.Index(
                condition=models.Q(("state__in", ["proposed", "approved", "executing", "unknown"])),
                fields=["state", "decide_by"],
                name="open_action_requests",
            ),
        ),
        migrations.AddConstraint(
            model_name="actionrequest",
            constraint=models.UniqueConstraint(
                fields=("id", "digest", "proposer", "editor", "token_owner"), name="a_decision_names_these"
            ),
        ),
        migrations.AddConstraint(
            model_name="actionrequest",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["executing", "unknown"])),
                fields=("target",),
                name="one_write_at_a_time_on_a_target",
            ),
        ),
        migrations.AddConstraint(
            model_name="actionrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(("decide_by__gt", models.F("proposed_at"))),
                name="request_ends_after_it_begins",
            ),
        ),
        migrations.AddConstraint(
            model_name="breakglass",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("reviewed_by", None),
                    models.Q(("reviewed_by", models.F("holder")), _negated=True),
                    _connector="OR",
                ),
                name="nobody_reviews_their_own_glass",
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.UniqueConstraint(fields=("request", "person"), name="one_decision_per_person"),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("person", models.F("proposer")), _negated=True),
                    models.Q(("person", models.F("editor")), _negated=True),
                    models.Q(("person", models.F("token_owner")), _negated=True),
                ),
                name="nobody_decides_their_own",
            ),
        ),
        migrations.AddIndex(
            model_name="execution",
            index=models.Index(
                condition=models.Q(("ended_at", None)), fields=["lease_until"], name="open_executions"
            ),
        ),
        # A decision repeats what bars a person; this key holds the copy to the request that it is about.
        migrations.RunSQL(
            """
            ALTER TABLE approvals_decision ADD CONSTRAINT a_decision_is_bound_to_its_request
            FOREIGN KEY (request_id, digest, proposer, editor, token_owner)
            REFERENCES approvals_actionrequest (id, digest, proposer, editor, token_owner)
            """,
            "ALTER TABLE approvals_decision DROP CONSTRAINT a_decision_is_bound_to_its_request",
        ),
    ]
