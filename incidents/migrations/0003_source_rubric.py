"""Let a source say what drafts about its incidents have to hold."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("incidents", "0002_identifiers_found_or_given"),
    ]

    operations = [
        migrations.AddField(
            model_name="source",
            name="rubric",
            field=models.TextField(
                blank=True,
                default="",
                help_text="what drafts of its incidents are graded by: a criterion on each line",
            ),
        ),
    ]
