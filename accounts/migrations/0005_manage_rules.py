"""Let administrators suspend rules and lift suspensions: what may earn a pass is theirs to say."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def grant(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    alias = schema_editor.connection.alias
    user_type = (
        apps.get_model("contenttypes", "ContentType")
        .objects.using(alias)
        .get(app_label="accounts", model="user")
    )
    permission, _ = (
        apps.get_model("auth", "Permission")
        .objects.using(alias)
        .get_or_create(
            content_type=user_type,
            codename="manage_rules",
            defaults={"name": "Can suspend rules and lift suspensions"},
        )
    )
    group, _ = apps.get_model("auth", "Group").objects.using(alias).get_or_create(name="administrator")
    group.permissions.add(permission)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_manage_tools"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="user",
            options={
                "permissions": (
                    ("see_incidents", "Can see the incidents of their teams"),
                    ("see_every_team", "Can see the incidents of every team"),
                    ("triage_incidents", "Can acknowledge, assign, close and reopen incidents"),
                    ("submit_claims", "Can enter a claim"),
                    ("manage_tools", "Can deny, pause and resume tools"),
                    ("manage_rules", "Can suspend rules and lift suspensions"),
                ),
                "verbose_name": "user",
                "verbose_name_plural": "users",
            },
        ),
        migrations.RunPython(grant, migrations.RunPython.noop),
    ]
