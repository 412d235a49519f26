"""Tokens: what an agent or a script shows to be let in, owned by a person, kept as a hash."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_roles"),
    ]

    operations = [
        migrations.CreateModel(
            name="Token",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.SlugField(help_text="never given to another token", max_length=60, unique=True),
                ),
                (
                    "secret_digest",
                    models.CharField(help_text="SHA-256 of 256 random bits", max_length=64, unique=True),
                ),
                ("scopes", models.JSONField(default=list)),
                ("tools", models.JSONField(default=list, help_text="the tools it may ask; empty for all")),
                ("audience", models.CharField(help_text="the address that it was made for", max_length=200)),
                (
                    "investigation",
                    models.BigIntegerField(
                        blank=True, help_text="the one investigation that it may see and submit to", null=True
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("first_used_at", models.DateTimeField(blank=True, null=True)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("created_at"))),
                        name="token_ends_after_it_begins",
                    )
                ],
            },
        ),
    ]
