"""What comes in, what a person does with it, and what queue and figures are kept from."""

from django.conf import settings
from django.db import migrations

from incidents.migrations import (
    _desk,
    _figure_triggers,
    _figures,
    _incidents,
    _intake,
    _queue,
    _queue_triggers,
)


class Migration(migrations.Migration):
    initial = True
    # So that a database that had them all goes on without work.
    replaces = [
        ("incidents", "0002_identifiers_found_or_given"),
        ("incidents", "0003_source_rubric"),
        ("incidents", "0004_queue_at_scale"),
        ("incidents", "0005_queue_filled"),
        ("incidents", "0006_desk"),
        ("incidents", "0007_figures"),
        ("incidents", "0008_drafts_unacknowledged"),
        ("incidents", "0009_delivery_ids"),
        ("incidents", "0010_queue_by_person"),
        ("incidents", "0011_human_labels"),
        ("incidents", "0012_deliveries_by_time"),
        ("incidents", "0013_openings"),
        ("incidents", "0014_figures_by_pairs"),
        ("incidents", "0015_records_by_dimension"),
        ("incidents", "0016_agent_days"),
        ("incidents", "0017_rules_tallied"),
    ]
    dependencies = [
        ("accounts", "0001_initial"),
        ("investigations", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        *_intake.TABLES,
        *_incidents.TABLES,
        *_desk.TABLES,
        *_queue.TABLES,
        *_figures.TABLES,
        *_queue_triggers.KEPT,
        *_figure_triggers.KEPT,
    ]
