"""Runs, what models were asked in them, and what code found of what they said. Incidents are named by id alone."""

from django.db import migrations

from investigations.migrations import _endpoints, _exchanges, _guards, _runs


class Migration(migrations.Migration):
    initial = True
    # So that a database that had them all goes on without work.
    replaces = [
        ("investigations", "0002_suspensions_and_troubles"),
        ("investigations", "0003_questions"),
        ("investigations", "0004_model_runs"),
        ("investigations", "0005_exchanges"),
        ("investigations", "0006_guards"),
        ("investigations", "0007_model_runs_by_end"),
        ("investigations", "0008_classifier_exchanges"),
        ("investigations", "0009_classified"),
        ("investigations", "0010_endpoints_in_use"),
        ("investigations", "0011_exchanges_spent_by_time"),
    ]
    dependencies = []
    operations = [*_runs.TABLES, *_exchanges.TABLES, *_endpoints.TABLES, *_guards.TABLES]
