"""Exchanges may be a classifier's: what a repository's issue is labelled by."""

from django.db import migrations, models

_PURPOSES = ("investigator", "critic", "grader", "ask", "candidate", "classifier", "probe")


class Migration(migrations.Migration):
    dependencies = [
        ("investigations", "0007_model_runs_by_end"),
    ]

    operations = [
        migrations.AlterField(
            model_name="exchange",
            name="purpose",
            field=models.CharField(choices=[(each, each) for each in _PURPOSES], max_length=12),
        ),
    ]
