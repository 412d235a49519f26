"""Evaluations, golden sets, drills, and when they are due."""

from django.db import migrations

from trials.migrations import _drills, _evaluations, _schedules


class Migration(migrations.Migration):
    initial = True
    # So that a database that had them all goes on without work.
    replaces = [
        ("trials", "0001_evaluations"),
        ("trials", "0002_golden_sets_and_drills"),
        ("trials", "0003_golden_rows_dropped"),
        ("trials", "0004_who_was_right"),
        ("trials", "0005_scheduled_trials"),
    ]
    dependencies = []
    operations = [*_evaluations.TABLES, *_drills.TABLES, *_schedules.TABLES]
