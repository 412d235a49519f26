"""Statements that try to do more than read, put through the connector's own execution path."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from assay_core.results import Status
from tests.db import attempted
from tests.servers import Postgres
from toolbox.connectors.base import Outcome
from toolbox.connectors.postgres import PostgresConnector
from toolbox.connectors.proof import findings
from toolbox.definitions import Limits, SqlQuestion, Statement, ToolDefinition

ATTEMPTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "readonly_attempts.jsonl").read_text(encoding="utf-8").splitlines()
]
# EXPLAIN is no cursor's query: a tool for it would have to be made on purpose.
REFUSED_BY_DESIGN = {"pg-135"}
LIMITS = Limits(rows=50, bytes=65_536, seconds=2)
SESSION = """
SELECT (SELECT string_agg(name || '=' || setting, ',' ORDER BY name) FROM pg_settings
        WHERE name NOT IN ('transaction_isolation', 'transaction_read_only', 'statement_timeout',
                           'lock_timeout', 'idle_in_transaction_session_timeout')) AS settings,
       current_setting('assay.poison', true) AS poison,
       (SELECT count(*) FROM pg_prepared_statements) AS prepared,
       (SELECT count(*) FROM pg_cursors WHERE name <> 'assay_answer') AS cursors,
       (SELECT count(*) FROM pg_listening_channels()) AS listening,
       pg_my_temp_schema() AS temp_schema, current_user AS who, session_user AS signed_in
"""


def tool(sql: str) -> ToolDefinition:
    """A tool whose statement is the attempt, exactly as it stands."""
    return ToolDefinition(
        name="attempt",
        title="An attempt",
        description="",
        connector="attempts",
        input={},
        output={},
        shape="rows",
        key="found",
        question=SqlQuestion(Statement(sql)),
        limits=LIMITS,
        normalise={},
        defaults={},
        covers={},
        plain={},
    )


def ask(connector: PostgresConnector, sql: str) -> Outcome:
    return connector.ask(tool(sql), {}, datetime.now(UTC))


def session(connector: PostgresConnector) -> Any:
    """What the pooled session remembers, asked through the connector itself."""
    outcome = connector.ask(
        replace(tool(SESSION), limits=Limits(rows=1, bytes=1_000_000, seconds=10)), {}, datetime.now(UTC)
    )
    assert outcome.result is not None, outcome.reason
    return outcome.result


@pytest.fixture(scope="module")
def reader_dsn(postgres_server: Postgres) -> Iterator[str]:
    with attempted.database(postgres_server) as dsn:
        yield dsn


@pytest.fixture(scope="module")
def superuser(postgres_server: Postgres, reader_dsn: str) -> Iterator[attempted.Link]:
    with psycopg.connect(postgres_server.dsn(attempted.DATABASE), autocommit=True) as link:
        link.execute("LISTEN jobs")
        yield link


@pytest.fixture(scope="module")
def victim(reader_dsn: str) -> Iterator[attempted.Link]:
    """Another session of the same role, which no attempt may touch."""
    with psycopg.connect(reader_dsn, autocommit=True, application_name="victim") as link:
        yield link


@pytest.fixture(scope="module")
def connector(reader_dsn: str) -> Iterator[PostgresConnector]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTEMPTS_READER_URL", reader_dsn)
        made = PostgresConnector("attempts", "Attempts", "ATTEMPTS_READER_URL", connections=1)
        yield made
        made.close()


@dataclass(slots=True)
class Seen:
    """What was there and remembered after an attempt that changed nothing: so it is before the next one."""

    state: dict[str, Any] = field(default_factory=dict)
    remembered: Any = None


@pytest.fixture(scope="module")
def seen() -> Seen:
    return Seen()


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=[attempt["id"] for attempt in ATTEMPTS])
def test_an_attempt_ends_as_expected_and_changes_nothing(
    attempt: dict[str, str],
    connector: PostgresConnector,
    superuser: attempted.Link,
    victim: attempted.Link,
    seen: Seen,
) -> None:
    remembered = seen.remembered or session(connector)
    before = seen.state or attempted.state(superuser)
    seen.state, seen.remembered = {}, None  # looked at anew by the next, should this one fail
    assert before["victims"] == [(1,)]

    began = time.monotonic()
    outcome = ask(connector, attempt["sql"])
    took = time.monotonic() - began

    assert took < LIMITS.seconds + 3, outcome
    assert attempted.state(superuser) == before
    assert session(connector) == remembered
    assert victim.execute("SELECT 1").fetchone() == (1,)
    seen.state, seen.remembered = before, remembered
    if attempt["id"] in REFUSED_BY_DESIGN:
        assert outcome.status is Status.ERROR
        return
    match attempt["expect"]:
        case "error":
            assert outcome.status is Status.ERROR, outcome
        case "rolled_back":
            assert outcome.status in (Status.ERROR, Status.OBSERVED), outcome
        case "bounded":
            assert outcome.status in (Status.ERROR, Status.TRUNCATED), outcome
        case "allowed":
            assert outcome.status is Status.OBSERVED, outcome


def test_the_hardened_reader_is_proven_by_the_catalogue(reader_dsn: str) -> None:
    with psycopg.connect(reader_dsn) as link:
        assert [finding for finding in findings(link) if not finding.warning] == []


def test_the_proof_finds_what_a_superuser_could_do(postgres_server: Postgres, reader_dsn: str) -> None:
    with psycopg.connect(postgres_server.dsn(attempted.DATABASE)) as link:
        checks = {finding.check for finding in findings(link)}
    assert {"role_attribute", "relation", "schema_create", "security_definer", "catalog_function"} <= checks


def test_the_comparison_sees_a_change(superuser: attempted.Link) -> None:
    before = attempted.state(superuser)
    superuser.execute("UPDATE app.orders SET amount = amount + 1 WHERE id = 1")
    superuser.execute("NOTIFY jobs, 'x'")
    after = attempted.state(superuser)
    superuser.execute("UPDATE app.orders SET amount = amount - 1 WHERE id = 1")
    assert {name for name in after if after[name] != before[name]} == {"orders", "notifications"}
