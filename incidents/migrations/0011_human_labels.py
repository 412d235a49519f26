"""The labels that people give issues as they close them: models are compared by these."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("incidents", "0010_queue_by_person"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="HumanLabel",
            fields=[
                (
                    "resolution",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="human_label",
                        serialize=False,
                        to="incidents.resolution",
                    ),
                ),
                ("label", models.CharField(max_length=20)),
                (
                    "label_set",
                    models.CharField(
                        help_text="the version of the set that it was chosen from", max_length=20
                    ),
                ),
                (
                    "model_label",
                    models.CharField(
                        blank=True, default="", help_text="empty where it gave none", max_length=20
                    ),
                ),
                (
                    "classified_id",
                    models.BigIntegerField(blank=True, help_text="the classification before them", null=True),
                ),
                ("is_override", models.BooleanField(help_text="the model had given another")),
                ("created_at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="human_labels",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "incident",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="human_labels",
                        to="incidents.incident",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "indexes": [
                    models.Index(fields=["incident", "-resolution"], name="labels_of_an_incident"),
                    models.Index(fields=["created_at"], name="labels_by_time"),
                ],
            },
        ),
    ]
