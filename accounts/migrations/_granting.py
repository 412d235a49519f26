"""Grants permissions to role groups from a migration.

Django makes permissions only after all migrations have run, so the operation makes those it grants.
"""

from collections.abc import Collection, Mapping

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def granting(
    names: Mapping[str, str],
    roles: Mapping[str, Collection[str]],
    *,
    model: tuple[str, str] = ("accounts", "user"),
) -> migrations.RunPython:
    """Return the operation that gives each role its permissions; groups and permissions are made if missing.

    `names` holds each permission's codename with its name, `roles` each group's codenames. Repeating is safe.
    """

    def grant(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        alias = schema_editor.connection.alias
        content_types = apps.get_model("contenttypes", "ContentType").objects.using(alias)
        permissions = apps.get_model("auth", "Permission").objects.using(alias)
        groups = apps.get_model("auth", "Group").objects.using(alias)
        content_type, _ = content_types.get_or_create(app_label=model[0], model=model[1])
        made = {
            codename: permissions.get_or_create(
                content_type=content_type, codename=codename, defaults={"name": name}
            )[0]
            for codename, name in names.items()
        }
        for role, codenames in roles.items():
            group, _ = groups.get_or_create(name=role)
            group.permissions.add(*(made[codename] for codename in codenames))

    return migrations.RunPython(grant, migrations.RunPython.noop)
