"""Let administrators invite people and look after them; let each person keep a time zone and a look."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.migrations._granting import granting


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_roles"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="user",
            options={
                "permissions": (
                    ("see_incidents", "Can see the incidents of their teams"),
                    ("see_every_team", "Can see the incidents of every team"),
                    ("triage_incidents", "Can acknowledge, assign, close and reopen incidents"),
                    ("submit_claims", "Can enter a claim"),
                    ("manage_tools", "Can deny, pause and resume tools"),
                    ("manage_rules", "Can suspend rules and lift suspensions"),
                    ("manage_people", "Can invite people, give roles and teams, and switch accounts off"),
                ),
                "verbose_name": "user",
                "verbose_name_plural": "users",
            },
        ),
        migrations.AddField(
            model_name="user",
            name="theme",
            field=models.CharField(
                blank=True, default="", help_text="empty for the browser's choice", max_length=6
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="time_zone",
            field=models.CharField(
                blank=True, default="", help_text="IANA name; empty for the browser's own", max_length=64
            ),
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("email", models.EmailField(max_length=254)),
                ("role", models.CharField(help_text="the group's name", max_length=20)),
                (
                    "secret_digest",
                    models.CharField(help_text="SHA-256 of 256 random bits", max_length=64, unique=True),
                ),
                ("made_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "accepted_by",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitation",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitations_made",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitations",
                        to="accounts.team",
                    ),
                ),
            ],
            options={
                "ordering": ("-made_at",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("made_at"))),
                        name="invitation_ends_after_it_begins",
                    )
                ],
            },
        ),
        granting(
            {"manage_people": "Can invite people, give roles and teams, and switch accounts off"},
            {"administrator": ("manage_people",)},
        ),
    ]
