"""What the audit log's migrations share: as whom they lay its tables, and who may read and call what."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def application(editor: BaseDatabaseSchemaEditor) -> str:
    """Return the role that runs the application; RuntimeError with a cure where it does not exist."""
    found = settings.DATABASES["default"]
    taken = re.search(r"-c\s*role=(\w+)", str(found.get("OPTIONS", {}).get("options", "")))
    name = taken[1] if taken else str(found.get("USER") or migrator(editor))
    if not one(editor, "SELECT count(*) FROM pg_roles WHERE rolname = %s", [name]):
        raise RuntimeError(
            f"The role {name!r} of DATABASE_URL does not exist in this server. Create it first: "
            "`manage.py auditroles` prints the statements."
        )
    return name


def migrator(editor: BaseDatabaseSchemaEditor) -> str:
    """Return the role that migrates. To be asked before it becomes another one."""
    return str(one(editor, "SELECT current_user"))


@contextmanager
def as_keeper(editor: BaseDatabaseSchemaEditor) -> Iterator[None]:
    """Do what follows as assay_audit, where that role exists and the migrating one may become it."""
    run(editor, "SET LOCAL lock_timeout = '5s'")
    owner = keeper(editor)
    if owner:
        run(editor, f"SET LOCAL ROLE {quoted(editor, [owner])}")
    yield
    if owner:
        run(editor, "RESET ROLE")


def grant(editor: BaseDatabaseSchemaEditor, what: str, roles: Iterable[str]) -> None:
    """Grant `SELECT ON ...` or `EXECUTE ON FUNCTION ...` to roles."""
    run(editor, f"GRANT {what} TO {quoted(editor, sorted(set(roles)))}")


def quoted(editor: BaseDatabaseSchemaEditor, roles: Sequence[str]) -> str:
    """Return role names as SQL spells them."""
    return ", ".join(editor.connection.ops.quote_name(role) for role in roles)


def run(editor: BaseDatabaseSchemaEditor, statements: str) -> None:
    """Run statements without parameters."""
    with editor.connection.cursor() as cursor:
        cursor.execute(statements)


def one(editor: BaseDatabaseSchemaEditor, query: str, values: list[str] | None = None) -> Any:
    """Return the first column of a query's first row."""
    with editor.connection.cursor() as cursor:
        cursor.execute(query, values)
        row = cursor.fetchone()
    return row[0]


def keeper(editor: BaseDatabaseSchemaEditor) -> str | None:
    """Return the role that owns the log, where it exists and the migrating role may become it."""
    if not one(editor, "SELECT count(*) FROM pg_roles WHERE rolname = 'assay_audit'"):
        return None
    # PostgreSQL 16 split membership into inheriting and becoming.
    how = "SET" if int(one(editor, "SELECT current_setting('server_version_num')")) >= 160000 else "MEMBER"
    may = one(editor, "SELECT pg_has_role(current_user, 'assay_audit', %s)", [how])
    return "assay_audit" if may else None
