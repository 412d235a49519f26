"""The database that attempts are made on, and everything about it that an attempt could change."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from tests.servers import Postgres
from toolbox.connectors.readerrole import reader_role_sql

DATABASE, READER, OWNER, INTERN = "readonly_attempts", "attempts_reader", "app_owner", "intern"
PASSWORD = "reader-pw"
Link = psycopg.Connection[Any]

_WORLD = f"""
CREATE SCHEMA app AUTHORIZATION {OWNER};
GRANT CREATE ON SCHEMA public TO PUBLIC;
SET ROLE {OWNER};
CREATE TABLE app.customers(id bigint PRIMARY KEY, name text NOT NULL, balance numeric NOT NULL);
CREATE TABLE app.orders(id bigserial PRIMARY KEY, customer_id bigint REFERENCES app.customers,
  amount numeric NOT NULL, note text);
INSERT INTO app.customers SELECT g, 'customer ' || g, g * 10 FROM generate_series(1, 20) g;
INSERT INTO app.orders(customer_id, amount, note)
  SELECT 1 + g % 20, g, 'note ' || g FROM generate_series(1, 200) g;
CREATE MATERIALIZED VIEW app.mv AS SELECT customer_id, sum(amount) AS total FROM app.orders GROUP BY 1;
CREATE FUNCTION app.bump_total(bigint) RETURNS numeric LANGUAGE sql SECURITY DEFINER
  AS 'UPDATE app.customers SET balance = balance + 1 WHERE id = $1 RETURNING balance';
CREATE FUNCTION app.plain_write(bigint) RETURNS bigint LANGUAGE sql
  AS 'UPDATE app.orders SET amount = amount + 1 WHERE id = $1 RETURNING id';
CREATE PROCEDURE app.purge_orders() LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM app.orders';
CREATE VIEW app.sneaky AS SELECT id, app.bump_total(id) AS balance FROM app.customers;
CREATE DOMAIN app.watching AS bigint CHECK (app.bump_total(VALUE) IS NOT NULL);
CREATE TYPE app.mood AS ENUM ('calm', 'cross');
CREATE TYPE app.pair AS (a bigint, b text);
CREATE FUNCTION app.of_pair(app.pair) RETURNS bigint LANGUAGE sql SECURITY DEFINER
  AS 'SELECT app.plain_write(1)';
CREATE CAST (app.pair AS bigint) WITH FUNCTION app.of_pair(app.pair);
CREATE FUNCTION app.meets(bigint, text) RETURNS bool LANGUAGE sql SECURITY DEFINER
  AS 'SELECT app.plain_write($1) > 0';
CREATE OPERATOR app.<=== (leftarg = bigint, rightarg = text, function = app.meets);
CREATE TABLE app.watched(id bigint);
INSERT INTO app.watched SELECT generate_series(1, 3);
ALTER TABLE app.watched ENABLE ROW LEVEL SECURITY;
CREATE POLICY who_looks ON app.watched USING (app.bump_total(id) IS NOT NULL);
RESET ROLE;
CREATE FUNCTION app.admin_exec(text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  AS 'BEGIN EXECUTE $1; END';
SELECT lo_create(424242);
"""
_EXTENSIONS = ("dblink", "tablefunc", "pg_stat_statements", "pg_prewarm", "postgres_fdw")


def _rows(table: str, order: str, value: str) -> str:
    """A query that counts the rows of a table and folds them into one hash."""
    return f"SELECT count(*), md5(string_agg({value}::text, '|' ORDER BY {order})) FROM {table}"


# Each query names one thing that an attempt could change; its rows are compared before and after.
_STATE = {
    "customers": _rows("app.customers c", "id", "c"),
    "orders": _rows("app.orders o", "id", "o"),
    "matview": _rows("app.mv m", "customer_id", "m"),
    "sequences": "SELECT schemaname, sequencename, last_value FROM pg_sequences ORDER BY 1, 2",
    "relations": "SELECT oid, relname, relkind, relfilenode, relacl::text, relowner, relnatts FROM pg_class "
    "WHERE relnamespace NOT IN (SELECT oid FROM pg_namespace WHERE nspname ~ '^pg_toast') ORDER BY oid",
    "columns": _rows("pg_attribute", "attrelid, attnum", "attacl"),
    "routines": _rows("pg_proc p", "oid", "p"),
    "types": "SELECT count(*) FROM pg_type",
    "namespaces": "SELECT oid, nspname, nspowner, nspacl::text FROM pg_namespace ORDER BY oid",
    "extensions": "SELECT extname, extversion FROM pg_extension ORDER BY 1",
    "comments": _rows("pg_description d", "objoid, objsubid", "d"),
    "roles": _rows("pg_authid a", "oid", "a"),
    "memberships": _rows("pg_auth_members m", "roleid, member, grantor", "m"),
    "role_settings": _rows("pg_db_role_setting s", "setdatabase, setrole", "s"),
    "default_acls": _rows("pg_default_acl a", "oid", "a"),
    "databases": "SELECT datname, datdba, datacl::text FROM pg_database ORDER BY 1",
    "large_objects": _rows("pg_largeobject l", "loid, pageno", "l.data"),
    "large_object_owners": "SELECT oid, lomowner, lomacl::text FROM pg_largeobject_metadata ORDER BY 1",
    "slots": "SELECT slot_name FROM pg_replication_slots ORDER BY 1",
    "prepared_transactions": "SELECT gid FROM pg_prepared_xacts ORDER BY 1",
    "subscriptions": "SELECT count(*) FROM pg_subscription",
    "foreign": "SELECT (SELECT count(*) FROM pg_foreign_server), (SELECT count(*) FROM pg_foreign_table)",
    "triggers_rules": "SELECT (SELECT count(*) FROM pg_trigger), (SELECT count(*) FROM pg_rewrite)",
    "server_settings": _rows("pg_file_settings f", "seqno", "f"),
    "labels": "SELECT count(*) FROM pg_seclabel",
    "locks": "SELECT locktype, mode FROM pg_locks l JOIN pg_stat_activity a USING (pid) "
    f"WHERE a.usename = '{READER}' AND locktype <> 'virtualxid'",
    "victims": "SELECT count(*) FROM pg_stat_activity "
    f"WHERE application_name = 'victim' AND usename = '{READER}'",
    "statistics_reset": "SELECT stats_reset FROM pg_stat_database WHERE datname = current_database()",
}


@contextlib.contextmanager
def database(server: Postgres) -> Iterator[str]:
    """Make the fixture's database and roles; give its reader's connection string. All goes at the end."""
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as link:
        _remove(link)
        for role in (OWNER, INTERN):
            link.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'owner-pw'".encode())
        link.execute(f"CREATE DATABASE {DATABASE}".encode())
    with psycopg.connect(server.dsn(DATABASE), autocommit=True) as link:
        for name in _EXTENSIONS:
            # Where an extension is not to be had, an attempt on it is refused because it is not there.
            with contextlib.suppress(psycopg.Error):
                link.execute(f"CREATE EXTENSION {name}".encode())
        link.execute(_WORLD.encode())
        link.execute(
            reader_role_sql(DATABASE, "app", ["customers", "orders", "watched"], READER, OWNER).encode()
        )
        link.execute(f"ALTER ROLE {READER} PASSWORD '{PASSWORD}'".encode())
    yield make_conninfo(server.dsn(DATABASE), user=READER, password=PASSWORD)
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as link:
        _remove(link)


def _remove(link: Link) -> None:
    link.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)".encode())
    for role in (READER, OWNER, INTERN):
        link.execute(f"DROP ROLE IF EXISTS {role}".encode())


def state(link: Link) -> dict[str, Any]:
    """Return all that an attempt could change, seen by the superuser, with notifications and files."""
    seen: dict[str, Any] = {name: link.execute(query.encode()).fetchall() for name, query in _STATE.items()}
    seen["notifications"] = [(note.channel, note.payload) for note in link.notifies(timeout=0)]
    seen["files"] = sorted(str(path) for path in Path("/tmp").glob("mcp_pwned*"))
    return seen
