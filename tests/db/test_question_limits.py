"""What bounds a question to PostgreSQL: the limits of the role where they are strict enough, else ours."""

from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest
from psycopg import sql

from tests.db.test_readonly_attempts import tool
from tests.servers import Postgres
from toolbox.connectors.postgres import PostgresConnector

ROLE = "assay_limited_reader"
LIMITS = """
SELECT current_setting('lock_timeout') AS lock,
       current_setting('idle_in_transaction_session_timeout') AS idle,
       current_setting('statement_timeout') AS statement
"""
ROLES = ("lock_timeout='500ms'", "idle_in_transaction_session_timeout='10s'")


@pytest.fixture(scope="module")
def role(postgres_server: Postgres) -> Iterator[psycopg.Connection]:
    name = sql.Identifier(ROLE)
    with psycopg.connect(postgres_server.dsn("postgres"), autocommit=True) as link:
        link.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(name))
        link.execute(sql.SQL("CREATE ROLE {} LOGIN").format(name))
        yield link
        link.execute(sql.SQL("DROP ROLE {}").format(name))


@pytest.fixture
def connector(
    postgres_server: Postgres, role: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> Iterator[PostgresConnector]:
    role.execute(f"ALTER ROLE {ROLE} RESET ALL")
    monkeypatch.setenv("LIMITED_READER_URL", postgres_server.dsn("postgres", ROLE))
    made = PostgresConnector("attempts", "Limited", "LIMITED_READER_URL", connections=1)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("settings", "lock", "idle"),
    [
        (ROLES, "500ms", "10s"),
        ((), "500ms", None),
        (ROLES[:1], "500ms", None),
        (ROLES[1:], "500ms", None),
        (("lock_timeout='2s'", ROLES[1]), "500ms", None),
        (("lock_timeout=0", ROLES[1]), "500ms", None),
        ((ROLES[0], "idle_in_transaction_session_timeout='1h'"), "500ms", None),
        (("lock_timeout='100ms'", ROLES[1]), "100ms", "10s"),
    ],
)
def test_each_question_is_bounded_whatever_its_role_says(
    connector: PostgresConnector,
    role: psycopg.Connection,
    settings: tuple[str, ...],
    lock: str,
    idle: str | None,
) -> None:
    for setting in settings:
        role.execute(f"ALTER ROLE {ROLE} SET {setting}")
    for _ in range(2):
        outcome = connector.ask(tool(LIMITS), {}, datetime.now(UTC))
        assert outcome.result is not None, outcome.reason
        (told,) = outcome.result["found"]
        assert told["lock"] == lock
        assert told["idle"] == idle if idle else 5_000 < int(told["idle"].removesuffix("ms")) <= 7_000
        assert 0 < int(told["statement"].removesuffix("ms")) <= 1_900


def test_a_setting_of_the_whole_server_is_not_relied_on(
    connector: PostgresConnector, role: psycopg.Connection
) -> None:
    """Its file may be read again while the session lasts."""
    role.execute("ALTER SYSTEM SET lock_timeout='300ms'")
    role.execute("ALTER SYSTEM SET idle_in_transaction_session_timeout='30s'")
    try:
        role.execute("SELECT pg_reload_conf()")
        outcome = connector.ask(tool(LIMITS), {}, datetime.now(UTC))
    finally:
        role.execute("ALTER SYSTEM RESET lock_timeout")
        role.execute("ALTER SYSTEM RESET idle_in_transaction_session_timeout")
        role.execute("SELECT pg_reload_conf()")
    assert outcome.result is not None, outcome.reason
    assert outcome.result["found"][0]["lock"] == "500ms"


VIEW = """
    CREATE VIEW found_first.pg_settings AS SELECT name, '100' AS setting, 'user' AS source
    FROM unnest(ARRAY['idle_in_transaction_session_timeout', 'lock_timeout']) name
"""
OPERATOR = """
    CREATE FUNCTION found_first.says_yes(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
    CREATE OPERATOR found_first.= (LEFTARG=text, RIGHTARG=text, FUNCTION=found_first.says_yes)
"""


@pytest.mark.parametrize("found_first", [VIEW, OPERATOR], ids=["view", "operator"])
def test_what_is_found_before_the_servers_own_does_not_say_what_bounds_a_question(
    connector: PostgresConnector, role: psycopg.Connection, found_first: str
) -> None:
    """A reader's search_path names the server's own schema last; others may write in those before it."""
    role.execute("CREATE SCHEMA found_first")
    try:
        role.execute(found_first)
        role.execute(f"GRANT USAGE ON SCHEMA found_first TO {ROLE}")
        role.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA found_first TO {ROLE}")
        role.execute(f"ALTER ROLE {ROLE} SET search_path = found_first, pg_catalog")
        outcome = connector.ask(tool(LIMITS), {}, datetime.now(UTC))
    finally:
        role.execute("DROP SCHEMA found_first CASCADE")
    assert outcome.result is not None, outcome.reason
    assert outcome.result["found"][0]["lock"] == "500ms"
