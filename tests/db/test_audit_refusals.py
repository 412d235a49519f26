"""What the application's role is refused on the log, each by its own statement."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from assay_core.notes import SigningKey
from audit import sealing
from audit.protection import weaknesses
from audit.writing import write
from tests.servers import ROOT, Servers

Link = psycopg.Connection[Any]
MONTH = (
    "audit_entry_THIS_MONTH"  # named when a test runs: collected in another month, it would be another table
)
SEALS = ("audit_leaf", "audit_node", "audit_batch", "audit_checkpoint", "audit_publication")
TABLES = ("audit_entry", MONTH, "audit_entry_default", "audit_payload", *SEALS)
COLUMNS = {
    "audit_payload": "body", "audit_leaf": "entry", "audit_node": "height", "audit_batch": "size",
    "audit_checkpoint": "note", "audit_publication": "said",
}  # fmt: skip


@pytest.fixture
def one_entry(committed_db: None) -> int:
    refs = [write("thing.done", {"a": 1}, actor="system") for _ in range(256)]
    sealing.seal_all(SigningKey.make("log.example/audit"))
    return refs[0].id


@pytest.fixture
def app(app_dsn: str) -> Iterator[Link]:
    with psycopg.connect(app_dsn) as link:
        yield link
        link.rollback()


def named(statement: str) -> str:
    return statement.replace("THIS_MONTH", f"{datetime.now(UTC):%Y_%m}")


def refused(link: Link, statement: str) -> str:
    with pytest.raises(psycopg.errors.InsufficientPrivilege) as error:
        link.execute(named(statement))
    link.rollback()
    return str(error.value)


@pytest.mark.parametrize("table", TABLES)
def test_the_application_changes_nothing_in_the_log(app: Link, table: str) -> None:
    column = COLUMNS.get(table, "kind")
    refused(app, f"UPDATE {table} SET {column} = NULL")
    refused(app, f"DELETE FROM {table}")
    refused(app, f"TRUNCATE {table}")
    refused(app, f"SELECT * FROM {table} FOR UPDATE")
    refused(app, f"INSERT INTO {table} OVERRIDING SYSTEM VALUE SELECT * FROM {table}")
    refused(app, f"DROP TABLE {table}")
    refused(app, f"ALTER TABLE {table} DISABLE TRIGGER ALL")
    refused(app, f"ALTER TABLE {table} DISABLE TRIGGER audit_no_change")
    refused(app, f"ALTER TABLE {table} OWNER TO assay_app")
    refused(app, f"CREATE TRIGGER mine BEFORE INSERT ON {table} EXECUTE FUNCTION audit_refuse()")
    app.execute(named(f"GRANT ALL ON {table} TO assay_app"))  # PostgreSQL grants nothing, with a warning
    app.commit()
    refused(app, f"DELETE FROM {table}")


@pytest.mark.parametrize(
    "statement",
    [
        "SET session_replication_role = replica",
        "SET ROLE assay_audit",
        "SET ROLE assay_owner",
        "SET SESSION AUTHORIZATION assay_audit",
        "SELECT setval('audit_entry_id_seq', 1)",
        "ALTER SEQUENCE audit_entry_id_seq RESTART",
        f"ALTER TABLE audit_entry DETACH PARTITION {MONTH}",
        "CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger LANGUAGE sql AS ''",
        "DROP FUNCTION audit_append",
        "DROP TRIGGER audit_no_change ON audit_entry",
        "SELECT audit_guard_partition('audit_payload')",
        "CREATE TABLE public.mine ()",
        "COPY audit_entry FROM STDIN",
        "LOCK TABLE audit_entry IN ACCESS EXCLUSIVE MODE",
    ],
)
def test_the_application_has_no_way_around(app: Link, statement: str) -> None:
    row = app.execute("SELECT session_user = current_user").fetchone()
    if row != (True,) and statement.startswith(("SET ROLE", "SET SESSION AUTHORIZATION")):
        pytest.skip("needs roles that sign in by themselves, as on the embedded server: unset DATABASE_URL")
    refused(app, statement)


def test_objects_of_the_same_name_in_front_of_the_search_path_are_not_used(
    committed_db: None, app: Link, superuser_dsn: str
) -> None:
    with psycopg.connect(superuser_dsn) as link:
        link.execute(f"GRANT TEMP ON DATABASE {link.info.dbname} TO assay_app")
    app.execute("CREATE TEMP TABLE audit_entry (id bigint)")
    app.execute("CREATE TEMP TABLE audit_payload (entry bigint, salt bytea, body text)")
    app.execute("CREATE TEMP SEQUENCE audit_entry_id_seq START 900000")
    row = app.execute(
        "SELECT (audit_append('a.b', '\"x\"', 1, 1, %s, '{}')::json ->> 'id')::bigint", [b"s" * 32]
    ).fetchone()
    assert row is not None
    assert row[0] < 900000
    assert app.execute("SELECT count(*) FROM public.audit_entry WHERE id = %s", row).fetchone() == (1,)
    assert app.execute("SELECT count(*) FROM pg_temp.audit_entry").fetchone() == (0,)


def test_every_function_with_its_owners_rights_has_its_search_path_pinned(superuser_dsn: str) -> None:
    with psycopg.connect(superuser_dsn) as link:
        found = link.execute(
            "SELECT proname, proconfig FROM pg_proc WHERE proname LIKE 'audit\\_%' AND prosecdef"
        ).fetchall()
    assert {name for name, _ in found} == {
        "audit_append", "audit_prepare_partitions", "audit_take_leaves", "audit_add_checkpoint",
        "audit_note_publication", "audit_erase",
    }  # fmt: skip
    assert all("search_path=pg_catalog, pg_temp" in (settings or []) for _, settings in found)


def test_the_owner_that_migrates_can_read_but_not_change(one_entry: int, owner_dsn: str) -> None:
    with psycopg.connect(owner_dsn) as owner:
        assert owner.execute("SELECT count(*) FROM audit_entry").fetchone() == (256,)
        assert owner.execute(named(f"SELECT count(*) FROM {MONTH}")).fetchone() == (256,)
        owner.rollback()
        for statement in (
            "DELETE FROM audit_entry",
            "UPDATE audit_payload SET body = 'x'",
            "TRUNCATE audit_payload",
            f"TRUNCATE {MONTH}",
            "INSERT INTO audit_payload VALUES (99, 'x', 'x')",
            "ALTER TABLE audit_entry DISABLE TRIGGER ALL",
        ):
            refused(owner, statement)


@pytest.mark.parametrize("table", TABLES)
def test_even_a_superuser_meets_the_trigger_first(one_entry: int, superuser_dsn: str, table: str) -> None:
    column = COLUMNS.get(table, "kind")
    with psycopg.connect(superuser_dsn) as link:
        link.execute("SET session_replication_role = replica")
        link.commit()
        if table not in ("audit_entry_default", "audit_publication"):
            assert "append-only" in refused(link, f"UPDATE {table} SET {column} = NULL")
            assert "append-only" in refused(link, f"DELETE FROM {table}")
        assert "append-only" in refused(link, f"TRUNCATE {table}")


@pytest.mark.django_db
def test_a_whole_installation_has_no_weakness() -> None:
    assert weaknesses() == []


def test_a_trigger_that_was_taken_away_is_named(committed_db: None, superuser_dsn: str) -> None:
    with psycopg.connect(superuser_dsn) as link:
        link.execute(named(f"ALTER TABLE {MONTH} DISABLE TRIGGER audit_no_truncate"))
        link.execute("GRANT INSERT ON audit_entry TO assay_app")
    found = weaknesses()
    assert any(named(MONTH) in sentence and "audit_no_truncate" in sentence for sentence in found)
    assert any("directly" in sentence for sentence in found)


def test_with_a_single_role_the_trigger_still_refuses_and_the_weakness_is_said(
    servers: Servers, superuser_dsn: str
) -> None:
    with psycopg.connect(superuser_dsn, autocommit=True) as link:
        link.execute("DROP DATABASE IF EXISTS audit_solo WITH (FORCE)")
        link.execute("DROP ROLE IF EXISTS audit_solo")
        link.execute("CREATE ROLE audit_solo LOGIN")
        link.execute("CREATE DATABASE audit_solo OWNER audit_solo")
    dsn = servers.postgres.dsn("audit_solo", "audit_solo")
    environment = {**servers.environment(), "DATABASE_URL": dsn, "DATABASE_OWNER_URL": ""}
    try:
        for arguments in (["migrate", "-v", "0"], ["verify_audit"]):
            done = subprocess.run(
                [sys.executable, "manage.py", *arguments],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
        assert "INTACT" in done.stdout
        assert "by a trigger only" in done.stdout
        with psycopg.connect(dsn) as link:
            assert link.execute("SELECT count(*) FROM audit_prepare_partitions()").fetchone() == (0,)
            link.execute("INSERT INTO audit_payload VALUES (1, 'x', 'x')")
            link.commit()
            assert "append-only" in refused(link, "UPDATE audit_payload SET body = 'y'")
            assert "append-only" in refused(link, "UPDATE audit_payload SET body = NULL, salt = NULL")
            assert "append-only" in refused(link, "TRUNCATE audit_entry")
    finally:
        with psycopg.connect(superuser_dsn, autocommit=True) as link:
            link.execute("DROP DATABASE audit_solo WITH (FORCE)")
            link.execute("DROP ROLE audit_solo")
