"""Makes the shop's writer: a role that can call the one procedure that runs a dead job again."""

import psycopg
from psycopg import sql

WRITER = "shop_writer"
PROCEDURE = "shop.retry_job"


def harden(connection: psycopg.Connection, *, database: str, password: str) -> None:
    """Give the writer its password, limits and its one procedure. Needs a superuser."""
    name = sql.Identifier(WRITER)
    if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [WRITER]).fetchone():
        connection.execute(sql.SQL("CREATE ROLE {}").format(name))
    connection.execute(
        sql.SQL(
            "ALTER ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS NOINHERIT "
            "CONNECTION LIMIT 4 PASSWORD {}"
        ).format(name, sql.Literal(password))
    )
    connection.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(sql.Identifier(database), name))
    connection.execute(sql.SQL("GRANT USAGE ON SCHEMA shop TO {}").format(name))
    connection.execute(sql.SQL("GRANT EXECUTE ON PROCEDURE shop.retry_job(text, text) TO {}").format(name))
