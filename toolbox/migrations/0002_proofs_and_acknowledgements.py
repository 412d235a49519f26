"""How each credential stood last, what nobody can revoke and somebody accepts, and which declarations may be asked."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("toolbox", "0001_tool_rules_and_calls"),
    ]

    operations = [
        migrations.CreateModel(
            name="ConnectorProof",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("connector", models.CharField(max_length=64, unique=True)),
                (
                    "credential",
                    models.CharField(
                        blank=True, help_text="role@database, as the server says", max_length=200
                    ),
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
            options={
                "ordering": ("connector",),
            },
        ),
        migrations.CreateModel(
            name="ResidualAcknowledgement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
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
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
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
