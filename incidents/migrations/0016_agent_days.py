"""What agents did is kept by day. The days of before are counted in steps afterwards, by the task that counts."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("incidents", "0015_records_by_dimension"),
    ]

    operations = [
        migrations.CreateModel(
            name="AgentDay",
            fields=[
                ("day", models.DateField(primary_key=True, serialize=False)),
                (
                    "body",
                    models.TextField(help_text="a day's text, as the figures of agents write it"),
                ),
            ],
        ),
    ]
