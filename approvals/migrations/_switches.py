"""What stands before every write: the switch, breakers, the change calendar."""

from django.conf import settings
from django.db import migrations, models

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

TABLES = [
    migrations.CreateModel(
        name="WriteSwitch",
        fields=[
            _KEY,
            (
                "scope",
                models.CharField(help_text="global, team:ID or action:NAME", max_length=120, unique=True),
            ),
            ("writes_enabled", models.BooleanField(default=False)),
            ("version", models.PositiveBigIntegerField(default=1)),
            ("changed_at", models.DateTimeField()),
            ("changed_by", models.CharField(max_length=200)),
            (
                "wanted_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("wanted_at", models.DateTimeField(blank=True, null=True)),
            ("because", models.CharField(blank=True, default="", max_length=300)),
        ],
    ),
    migrations.CreateModel(
        name="Breaker",
        fields=[
            _KEY,
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
        name="Freeze",
        fields=[
            _KEY,
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
        name="FreezeException",
        fields=[
            _KEY,
            (
                "freeze",
                models.ForeignKey(on_delete=models.PROTECT, related_name="exceptions", to="approvals.freeze"),
            ),
            (
                "request",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="freeze_exceptions", to="approvals.actionrequest"
                ),
            ),
            ("by", models.CharField(max_length=200)),
            ("because", models.CharField(max_length=300)),
            ("at", models.DateTimeField()),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("freeze", "request"), name="one_exception_for_each_request")
            ]
        },
    ),
]
