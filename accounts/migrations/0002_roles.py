"""Make the five role groups with their permissions.

Django makes permissions only after all migrations have run, so this one makes those it grants.
"""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

NAMES = {
    "see_incidents": "Can see the incidents of their teams",
    "see_every_team": "Can see the incidents of every team",
    "triage_incidents": "Can acknowledge, assign, close and reopen incidents",
    "submit_claims": "Can enter a claim",
}
ROLES = {
    "support": ("see_incidents", "triage_incidents", "submit_claims"),
    "on-call": ("see_incidents", "triage_incidents", "submit_claims"),
    "manager": ("see_incidents", "triage_incidents", "submit_claims", "see_every_team"),
    "administrator": ("see_incidents", "triage_incidents", "submit_claims", "see_every_team"),
    "auditor": ("see_incidents", "see_every_team"),
}


def make_roles(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    alias = schema_editor.connection.alias
    content_types = apps.get_model("contenttypes", "ContentType").objects.using(alias)
    permissions = apps.get_model("auth", "Permission").objects.using(alias)
    groups = apps.get_model("auth", "Group").objects.using(alias)
    user_type, _ = content_types.get_or_create(app_label="accounts", model="user")
    made = {
        codename: permissions.get_or_create(
            content_type=user_type, codename=codename, defaults={"name": name}
        )[0]
        for codename, name in NAMES.items()
    }
    for role, codenames in ROLES.items():
        group, _ = groups.get_or_create(name=role)
        group.permissions.add(*(made[codename] for codename in codenames))


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(make_roles, migrations.RunPython.noop)]
