"""The figures are kept by pairs of dimensions, and of whole weeks beside single days.

The records are put into the new sums in steps afterwards, by the task that counts. What still counts with the
old program meanwhile finds the old sums gone and leaves everything as it is: no record is half counted.
"""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("incidents", "0013_openings"),
    ]

    operations = [
        migrations.RunSQL("SET LOCAL lock_timeout = '5s'", migrations.RunSQL.noop),
        migrations.DeleteModel(name="DaySum"),
        migrations.CreateModel(
            name="SpanSum",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "by",
                    models.CharField(
                        blank=True, help_text="the dimensions, joined; none of all incidents", max_length=16
                    ),
                ),
                ("length", models.SmallIntegerField(help_text="in days: 1, or 7 from a Monday")),
                ("first", models.DateField()),
                (
                    "one",
                    models.CharField(
                        blank=True, default="", help_text="the first dimension's value", max_length=120
                    ),
                ),
                ("other", models.CharField(blank=True, default="", max_length=120)),
                ("body", models.TextField(help_text="a tally's text, without its bars")),
                ("resolve", models.TextField(help_text="the bars of the time to resolve")),
                ("stages", models.TextField(help_text="the bars of the other stages")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("by", "length", "first", "one", "other"), name="one_sum_of_a_span"
                    )
                ],
            },
        ),
        migrations.AddField(
            model_name="record",
            name="bars",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.SmallIntegerField(null=True),
                db_default=[],
                default=list,
                help_text="of each stage's duration, as the sums count it; none of one that no person closed",
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="record",
            name="logs",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.IntegerField(null=True), db_default=[], default=list, size=None
            ),
        ),
        migrations.AddField(
            model_name="record",
            name="summed_as",
            field=models.SmallIntegerField(
                db_default=0,
                default=0,
                help_text="the shape of the sums that it is counted in; 0 in none yet",
            ),
        ),
    ]
