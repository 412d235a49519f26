"""Make the five role groups with their permissions."""

from django.db import migrations

from accounts.migrations._granting import granting

NAMES = {
    "see_incidents": "Can see the incidents of their teams",
    "see_every_team": "Can see the incidents of every team",
    "triage_incidents": "Can acknowledge, assign, close and reopen incidents",
    "submit_claims": "Can enter a claim",
    "manage_tools": "Can deny, pause and resume tools",
    "manage_rules": "Can suspend rules and lift suspensions",
}
ROLES = {
    "support": ("see_incidents", "triage_incidents", "submit_claims"),
    "on-call": ("see_incidents", "triage_incidents", "submit_claims"),
    "manager": ("see_incidents", "triage_incidents", "submit_claims", "see_every_team"),
    "administrator": tuple(NAMES),
    "auditor": ("see_incidents", "see_every_team"),
}


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [granting(NAMES, ROLES)]
