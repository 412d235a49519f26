"""A candidate that a person did not want stays out, also when its issue is drawn again. One short lock."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("trials", "0002_golden_sets_and_drills"),
    ]

    operations = [
        migrations.AddField(
            model_name="goldenrow",
            name="dropped_by",
            field=models.CharField(
                blank=True,
                default="",
                help_text="whoever did not want it; it stays out",
                max_length=200,
            ),
        ),
        migrations.AddConstraint(
            model_name="goldenrow",
            constraint=models.CheckConstraint(
                condition=models.Q(("dropped_by", ""), ("confirmed_at", None), _connector="OR"),
                name="golden_row_confirmed_or_dropped",
            ),
        ),
    ]
