"""Keep whose answer a reader holds to be right, and their note, with each row of a drill that was read."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("trials", "0003_golden_rows_dropped"),
    ]

    operations = [
        migrations.AddField(
            model_name="disagreementread",
            name="right",
            field=models.CharField(
                blank=True,
                choices=[
                    ("baseline", "baseline"),
                    ("candidate", "candidate"),
                    ("both", "both"),
                    ("neither", "neither"),
                ],
                default="",
                help_text="whose answer this person holds to be right; empty where they did not say",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="disagreementread",
            name="note",
            field=models.TextField(blank=True, default="", help_text="what they said of it, masked"),
        ),
    ]
