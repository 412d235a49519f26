"""Which models may be asked, which serve for what, and what they say that they are."""

from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="EndpointTerms",
        fields=[
            _KEY,
            (
                "host",
                models.CharField(
                    help_text="of the base URL, with its port where one is named", max_length=255
                ),
            ),
            ("hosted_by", models.CharField(help_text="the company or team that runs it", max_length=200)),
            (
                "terms",
                models.CharField(help_text="where the data terms stand, and what was agreed", max_length=500),
            ),
            ("recorded_by", models.CharField(max_length=200)),
            ("recorded_at", models.DateTimeField()),
            ("ended_by", models.CharField(blank=True, default="", max_length=200)),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ("pk",),
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("ended_at", None)),
                    fields=("host",),
                    name="one_standing_word_per_host",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="EndpointUse",
        fields=[
            _KEY,
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
            ("base_url", models.TextField()),
            ("model", models.CharField(help_text="as the settings named it", max_length=200)),
            ("endpoint", models.CharField(help_text="its name in the settings then", max_length=40)),
            (
                "how",
                models.CharField(
                    choices=[(each, each) for each in ("first", "drill", "override")], max_length=10
                ),
            ),
            ("drill", models.BigIntegerField(blank=True, help_text="the drill that it passed", null=True)),
            ("because", models.CharField(blank=True, default="", max_length=300)),
            ("began_by", models.CharField(max_length=200)),
            ("began_at", models.DateTimeField()),
            (
                "until",
                models.DateTimeField(
                    blank=True, help_text="of an override: when it ends by itself", null=True
                ),
            ),
            ("ended_by", models.CharField(blank=True, default="", max_length=200)),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ("pk",),
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("ended_at", None), ("until", None)),
                    fields=("purpose",),
                    name="one_endpoint_in_use",
                ),
                models.UniqueConstraint(
                    condition=models.Q(("ended_at", None), ("until__isnull", False)),
                    fields=("purpose",),
                    name="one_override_of_an_endpoint",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("drill__isnull", False), ("how", "drill"), ("until", None)),
                        models.Q(("drill", None), ("how", "first"), ("until", None)),
                        models.Q(
                            ("drill", None),
                            ("how", "override"),
                            ("until__isnull", False),
                            models.Q(("because", ""), _negated=True),
                        ),
                        _connector="OR",
                    ),
                    name="endpoint_taken_by_a_way_that_is_known",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="EndpointSeen",
        fields=[
            _KEY,
            ("base_url", models.TextField()),
            ("asked", models.CharField(help_text="the model as it was asked for", max_length=200)),
            (
                "model",
                models.CharField(blank=True, default="", help_text="as replies name it", max_length=200),
            ),
            ("fingerprint", models.CharField(blank=True, default="", max_length=200)),
            ("endpoint", models.CharField(max_length=40)),
            (
                "before",
                models.CharField(blank=True, default="", help_text="what they named before", max_length=410),
            ),
            ("first_seen_at", models.DateTimeField()),
            ("last_seen_at", models.DateTimeField()),
            (
                "tell_at",
                models.DateTimeField(blank=True, help_text="a change that is not told yet", null=True),
            ),
        ],
        options={
            "ordering": ("pk",),
            "indexes": [
                models.Index(
                    condition=models.Q(("tell_at__isnull", False)), fields=["tell_at"], name="changes_to_tell"
                )
            ],
            "constraints": [
                models.UniqueConstraint(
                    fields=("base_url", "asked", "model", "fingerprint"), name="one_sight_of_each_model"
                )
            ],
        },
    ),
]
