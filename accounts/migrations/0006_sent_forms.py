"""Keep for a day which forms were sent, so that the second of two clicks carries nothing out."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_review_trials"),
    ]

    operations = [
        migrations.CreateModel(
            name="SentForm",
            fields=[
                (
                    "digest",
                    models.CharField(
                        help_text="of the person, address and fields",
                        max_length=64,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("sent_at", models.DateTimeField(db_index=True)),
                ("is_done", models.BooleanField(default=False, help_text="false while it is carried out")),
                (
                    "led_to",
                    models.CharField(
                        blank=True, default="", help_text="where its answer led", max_length=600
                    ),
                ),
            ],
        ),
    ]
