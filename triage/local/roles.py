"""The three roles of the application's database, and the database itself. The docs print the same SQL.

`python -m triage.local.roles` prints it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

OWNER, APP, AUDIT = "assay_owner", "assay_app", "assay_audit"


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement, and whether it runs inside the application's database or before it exists."""

    text: str
    inside: bool = False


def statements(database: str, *, has_set_option: bool = True) -> tuple[Statement, ...]:
    """Return the bootstrap in order. `has_set_option`: PostgreSQL 16 and later know WITH INHERIT, SET."""
    name = sql.Identifier(database).as_string()
    membership = " WITH INHERIT FALSE, SET TRUE" if has_set_option else ""
    return (
        Statement(f"CREATE ROLE {OWNER} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT"),
        Statement(f"CREATE ROLE {APP} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT"),
        Statement(f"CREATE ROLE {AUDIT} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE"),
        Statement(f"GRANT {AUDIT} TO {OWNER}{membership}"),
        Statement(f"CREATE DATABASE {name} OWNER {OWNER} ENCODING 'UTF8' TEMPLATE template0"),
        *grants_on_database(database),
        Statement("REVOKE ALL ON SCHEMA public FROM PUBLIC", inside=True),
        Statement(f"GRANT USAGE, CREATE ON SCHEMA public TO {OWNER}, {AUDIT}", inside=True),
        Statement(f"GRANT USAGE ON SCHEMA public TO {APP}", inside=True),
        Statement(
            f"ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} IN SCHEMA public "
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {APP}",
            inside=True,
        ),
        Statement(
            f"ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} IN SCHEMA public "
            f"GRANT USAGE, SELECT ON SEQUENCES TO {APP}",
            inside=True,
        ),
    )


def grants_on_database(database: str) -> tuple[Statement, ...]:
    """Return who may connect; a database cloned from a template needs these again."""
    name = sql.Identifier(database).as_string()
    return (
        Statement(f"REVOKE ALL ON DATABASE {name} FROM PUBLIC"),
        Statement(f"GRANT CONNECT ON DATABASE {name} TO {APP}, {OWNER}"),
    )


def set_up(superuser_dsn: str, database: str, *, passwords: Mapping[str, str] | None = None) -> None:
    """Make roles and database where they are missing, and set the given passwords. Repeatable.

    The dsn needs a role that may create roles and databases. Raises psycopg.Error when it may not.
    """
    with psycopg.connect(superuser_dsn, autocommit=True) as outside:
        every = statements(database, has_set_option=outside.info.server_version >= 160000)
        for statement in every:
            if not statement.inside:
                _run_once(outside, statement.text)
        for role, password in (passwords or {}).items():
            outside.execute(
                sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), sql.Literal(password))
            )
    with psycopg.connect(make_conninfo(superuser_dsn, dbname=database), autocommit=True) as inside:
        for statement in every:
            if statement.inside:
                inside.execute(statement.text)


def _run_once(link: "psycopg.Connection[tuple[object, ...]]", text: str) -> None:
    try:
        link.execute(text)
    except (psycopg.errors.DuplicateObject, psycopg.errors.DuplicateDatabase):
        return


def printed(database: str = "assay") -> str:
    """Return the bootstrap as a script for psql."""
    lines = ["-- As a superuser. Then set the passwords: \\password assay_owner, \\password assay_app"]
    every = statements(database)
    lines += [f"{one.text};" for one in every if not one.inside]
    lines += [f"\\connect {database}", *(f"{one.text};" for one in every if one.inside)]
    return "\n".join(lines)


if __name__ == "__main__":
    print(printed())
