"""Golden sets and their rows, the runs of a drill over them, the drill that compares two."""

from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="GoldenSet",
        fields=[
            _KEY,
            ("name", models.SlugField(max_length=60)),
            ("version", models.PositiveIntegerField(help_text="counts up in its name")),
            ("contract", models.CharField(help_text="the version whose labels its rows have", max_length=40)),
            (
                "digest",
                models.CharField(
                    blank=True, default="", help_text="of its confirmed rows, once frozen", max_length=64
                ),
            ),
            ("created_by", models.CharField(max_length=200)),
            ("created_at", models.DateTimeField()),
            ("frozen_by", models.CharField(blank=True, default="", max_length=200)),
            ("frozen_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ("name", "version"),
            "constraints": [
                models.UniqueConstraint(fields=("name", "version"), name="one_golden_set_of_a_version"),
                models.UniqueConstraint(
                    condition=models.Q(("frozen_at", None)),
                    fields=("name",),
                    name="one_open_version_of_a_golden_set",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("digest", ""), ("frozen_at", None), ("frozen_by", "")),
                        models.Q(
                            ("frozen_at__isnull", False),
                            models.Q(("digest", ""), _negated=True),
                            models.Q(("frozen_by", ""), _negated=True),
                        ),
                        _connector="OR",
                    ),
                    name="golden_set_frozen_with_its_digest",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="GoldenRow",
        fields=[
            _KEY,
            ("of", models.ForeignKey(on_delete=models.PROTECT, related_name="rows", to="trials.goldenset")),
            ("row_id", models.CharField(max_length=200)),
            ("label", models.CharField(max_length=40)),
            ("title", models.TextField()),
            ("body", models.TextField(blank=True, default="")),
            ("target", models.CharField(blank=True, default="", max_length=200)),
            ("hard", models.TextField(blank=True, default="", help_text="why people may differ about it")),
            (
                "origin",
                models.CharField(
                    choices=[(each, each) for each in ("written", "closed", "override")], max_length=10
                ),
            ),
            (
                "incident_id",
                models.BigIntegerField(blank=True, help_text="the closed item that it is of", null=True),
            ),
            ("is_frozen", models.BooleanField(default=False, help_text="part of every later version")),
            ("written_at", models.DateTimeField(help_text="when the issue came in, or the row was loaded")),
            ("confirmed_by", models.CharField(blank=True, default="", max_length=200)),
            ("confirmed_at", models.DateTimeField(blank=True, null=True)),
            (
                "dropped_by",
                models.CharField(
                    blank=True, default="", help_text="whoever did not want it; it stays out", max_length=200
                ),
            ),
        ],
        options={
            "ordering": ("of", "pk"),
            "constraints": [
                models.UniqueConstraint(fields=("of", "row_id"), name="one_golden_row_of_an_id"),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("confirmed_at", None), ("confirmed_by", "")),
                        models.Q(
                            ("confirmed_at__isnull", False), models.Q(("confirmed_by", ""), _negated=True)
                        ),
                        _connector="OR",
                    ),
                    name="golden_row_confirmed_by_somebody",
                ),
                models.CheckConstraint(
                    condition=models.Q(("dropped_by", ""), ("confirmed_at", None), _connector="OR"),
                    name="golden_row_confirmed_or_dropped",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="DrillRun",
        fields=[
            _KEY,
            (
                "name",
                models.CharField(help_text="its UTC time and its endpoint", max_length=120, unique=True),
            ),
            ("endpoint", models.CharField(max_length=40)),
            (
                "base_url",
                models.TextField(help_text="of the endpoint, as it was set then; empty for a file's"),
            ),
            ("model", models.CharField(help_text="as the settings named it", max_length=200)),
            ("times", models.PositiveIntegerField(default=1, help_text="how often each row is asked")),
            ("rows_in_all", models.PositiveIntegerField()),
            ("golden_digest", models.CharField(max_length=64)),
            ("contract_digest", models.CharField(max_length=64)),
            ("prompt_digest", models.CharField(max_length=64)),
            (
                "rules_digest",
                models.CharField(help_text="of the code that checks claimed reasons", max_length=64),
            ),
            (
                "is_from_file",
                models.BooleanField(default=False, help_text="taken from a CSV, with no replies"),
            ),
            ("started_by", models.CharField(max_length=200)),
            ("started_at", models.DateTimeField()),
            ("finished_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={"ordering": ("-started_at", "-pk")},
    ),
    migrations.CreateModel(
        name="DrillRow",
        fields=[
            _KEY,
            ("run", models.ForeignKey(on_delete=models.CASCADE, related_name="rows", to="trials.drillrun")),
            ("position", models.PositiveIntegerField()),
            ("row_id", models.CharField(max_length=200)),
            (
                "time",
                models.PositiveIntegerField(help_text="from 1: the how-manieth time that the row was asked"),
            ),
            ("expected", models.CharField(max_length=40)),
            (
                "got",
                models.CharField(
                    blank=True, default="", help_text="empty without a valid label", max_length=40
                ),
            ),
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
            ("is_fenced", models.BooleanField(default=False)),
            ("needs_human", models.BooleanField()),
            ("reasons", models.JSONField(default=list)),
            (
                "found",
                models.PositiveIntegerField(default=0, help_text="claimed reasons that code found to hold"),
            ),
            (
                "needed",
                models.PositiveIntegerField(default=0, help_text="claimed reasons that code can check"),
            ),
            ("seconds", models.FloatField(default=0.0)),
            ("tokens_in", models.PositiveBigIntegerField(default=0)),
            ("tokens_out", models.PositiveBigIntegerField(default=0)),
            ("micros", models.PositiveBigIntegerField(default=0)),
            (
                "model",
                models.CharField(blank=True, default="", help_text="as the reply names it", max_length=200),
            ),
            ("fingerprint", models.CharField(blank=True, default="", max_length=200)),
            (
                "is_override",
                models.BooleanField(default=False, help_text="the golden row is of a human override"),
            ),
            (
                "is_frozen",
                models.BooleanField(default=False, help_text="the golden row is of the frozen part"),
            ),
            ("is_hard", models.BooleanField(default=False)),
            ("why", models.TextField(blank=True, default="")),
            ("replies", models.JSONField(default=list, help_text="what the model wrote, masked")),
            ("exchanges", models.JSONField(default=list, help_text="ids of the kept exchanges")),
            ("booked_at", models.DateTimeField()),
        ],
        options={
            "ordering": ("run", "position", "time"),
            "constraints": [
                models.UniqueConstraint(fields=("run", "row_id", "time"), name="drill_row_booked_once"),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("got", ""), ("status__in", ("first_pass", "repaired")), _negated=True),
                        models.Q(
                            ("status__in", ("first_pass", "repaired")),
                            models.Q(("got", ""), ("needs_human", True)),
                            _connector="OR",
                        ),
                    ),
                    name="drill_row_without_contract_has_no_label",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Drill",
        fields=[
            _KEY,
            (
                "baseline",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="drills_as_baseline", to="trials.drillrun"
                ),
            ),
            (
                "candidate",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="drills_as_candidate", to="trials.drillrun"
                ),
            ),
            ("golden", models.TextField(help_text="the golden set as it was named")),
            (
                "texts",
                models.JSONField(
                    default=dict, help_text="title and body of the rows that differ, masked, by id"
                ),
            ),
            ("policy", models.TextField(help_text="the policy's file as it stood")),
            ("policy_digest", models.CharField(max_length=64)),
            ("decision", models.CharField(help_text="what the policy said, when it was made", max_length=20)),
            ("started_by", models.CharField(max_length=200)),
            ("created_at", models.DateTimeField()),
            ("unlocked_at", models.DateTimeField(blank=True, null=True)),
            ("promoted_by", models.CharField(blank=True, default="", max_length=200)),
            ("promoted_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ("-pk",),
            "constraints": [
                models.UniqueConstraint(
                    fields=("baseline", "candidate", "policy_digest"),
                    name="one_drill_of_two_runs_and_a_policy",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("promoted_at", None), ("promoted_by", "")),
                        models.Q(
                            ("promoted_at__isnull", False),
                            ("unlocked_at__isnull", False),
                            models.Q(("promoted_by", ""), _negated=True),
                        ),
                        _connector="OR",
                    ),
                    name="drill_promoted_by_somebody_once_unlocked",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="DisagreementRead",
        fields=[
            _KEY,
            ("drill", models.ForeignKey(on_delete=models.PROTECT, related_name="reads", to="trials.drill")),
            ("row_id", models.CharField(max_length=200)),
            ("by", models.CharField(max_length=200)),
            ("read_at", models.DateTimeField()),
            (
                "right",
                models.CharField(
                    blank=True,
                    choices=[(each, each) for each in ("baseline", "candidate", "both", "neither")],
                    default="",
                    help_text="whose answer this person holds to be right; empty where they did not say",
                    max_length=10,
                ),
            ),
            ("note", models.TextField(blank=True, default="", help_text="what they said of it, masked")),
        ],
        options={
            "ordering": ("pk",),
            "constraints": [
                models.UniqueConstraint(
                    fields=("drill", "row_id", "by"), name="disagreement_read_once_by_one"
                )
            ],
        },
    ),
]
