"""A database that stops, hangs, is full of other people's locks, or answers without end."""

import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from assay_core.results import Status
from tests.conftest import wait_until
from tests.db.test_readonly_attempts import tool
from toolbox.connectors import pgwire
from toolbox.connectors.base import Outcome
from toolbox.connectors.fetched import Fetched
from toolbox.connectors.pgflight import Asked
from toolbox.connectors.pgsession import ReadSession
from toolbox.connectors.pgwire import Allowance
from toolbox.connectors.postgres import PostgresConnector
from toolbox.deadline import Deadline
from toolbox.definitions import Limits, Statement
from triage.local.postgres import FOR_TESTS, PostgresServer

CONNECTIONS = 3


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server of its own, which these tests may stop."""
    # Not below pytest's own folder: another session makes that one private again while this one runs.
    with tempfile.TemporaryDirectory(prefix="assay-faults-", dir="/tmp", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)  # the account that PostgreSQL steps down to walks through
        made = PostgresServer(Path(name) / "data", settings={**FOR_TESTS, "max_connections": "20"})
        made.start()
        yield made
        made.stop()


@pytest.fixture
def connector(server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresConnector]:
    server.start()
    monkeypatch.setenv("FAULTS_READER_URL", server.dsn("postgres"))
    made = PostgresConnector("faults", "Faults", "FAULTS_READER_URL", connections=CONNECTIONS)
    yield made
    made.close()


@pytest.fixture
def superuser(server: PostgresServer) -> Iterator[psycopg.Connection[tuple[int]]]:
    server.start()
    with psycopg.connect(server.dsn("postgres"), autocommit=True, application_name="watcher") as link:
        yield link


def ask(connector: PostgresConnector, sql: str, *, seconds: float = 2, size: int = 65_536) -> Outcome:
    limited = replace(tool(sql), limits=Limits(rows=50, bytes=size, seconds=seconds))
    return connector.ask(limited, {}, datetime.now(UTC))


def test_a_database_that_is_stopped_in_the_middle_of_a_call_is_unavailable_and_then_back(
    connector: PostgresConnector, server: PostgresServer
) -> None:
    assert ask(connector, "SELECT 1 AS n").status is Status.OBSERVED
    stopper = threading.Timer(0.3, server.stop)
    stopper.start()
    during = ask(
        connector,
        "SELECT count(*) AS n FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b",
        seconds=20,
    )
    stopper.join()
    after = ask(connector, "SELECT 1 AS n")
    server.start()
    again = ask(connector, "SELECT 1 AS n")
    assert (during.status, during.reason) == (Status.UNAVAILABLE, "faults: the database is shutting down")
    assert (after.status, after.reason) == (
        Status.UNAVAILABLE,
        "faults: nothing answers at the database's address",
    )
    assert again.status is Status.OBSERVED


def test_an_idle_connection_that_died_is_replaced_without_a_word(
    connector: PostgresConnector, superuser: psycopg.Connection[tuple[int]]
) -> None:
    assert ask(connector, "SELECT 1 AS n").status is Status.OBSERVED
    superuser.execute(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'assay'"
    )
    assert ask(connector, "SELECT 1 AS n").status is Status.OBSERVED


def test_what_fails_while_the_server_forgets_a_question_leaves_nothing_of_its_answer(
    server: PostgresServer,
) -> None:
    """An answer that nobody has read would be taken for the next question's."""
    server.start()
    session = ReadSession.open(server.dsn("postgres"), Deadline(5))
    put: list[object] = []
    try:
        for number in (1, 2, 3):
            question = Asked("assay_answer", Statement(f"SELECT {number} AS n", ()), {}, 2, 1_000)

            def look(answers: Sequence[Fetched], number: int = number) -> None:
                put.append(answers[-1].rows)
                if number != 3:
                    raise KeyError(number)

            with suppress(KeyError):
                session.put([question], Deadline(5), Deadline(5), look)
            assert session.is_usable()
    finally:
        session.close()
    assert put == [[(1,)], [(2,)], [(3,)]]


def test_an_answer_that_no_result_can_hold_is_an_error_and_keeps_its_session(
    connector: PostgresConnector, superuser: psycopg.Connection[tuple[int]]
) -> None:
    sessions = "SELECT pid FROM pg_stat_activity WHERE application_name = 'assay'"
    assert ask(connector, "SELECT 1 AS n").status is Status.OBSERVED
    before = superuser.execute(sessions).fetchall()
    deep = ask(connector, "SELECT (repeat('[', 100) || repeat(']', 100))::json AS n")
    assert (deep.status, deep.result) == (Status.ERROR, None)
    assert "nested deeper" in deep.reason
    assert ask(connector, "SELECT 2 AS n").result == {"found": [{"n": 2}], "row_count": 1}
    assert superuser.execute(sessions).fetchall() == before


def test_a_server_that_hangs_ends_the_call_at_its_deadline(
    connector: PostgresConnector, superuser: psycopg.Connection[tuple[int]]
) -> None:
    ask(connector, "SELECT 1 AS n")
    row = superuser.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'assay'").fetchone()
    assert row is not None
    # A stopped backend answers neither the question nor the cancel request.
    signalled = row[0]
    os.kill(signalled, signal.SIGSTOP)
    try:
        began = time.monotonic()
        outcome = ask(connector, "SELECT 2 AS n", seconds=0.5)
        took = time.monotonic() - began
    finally:
        os.kill(signalled, signal.SIGCONT)
    assert outcome.status is Status.ERROR
    assert outcome.reason == "faults: the question took longer than 0.5 s and was cancelled"
    assert took < 3
    assert ask(connector, "SELECT 1 AS n").status is Status.OBSERVED


def test_a_cancelled_question_does_not_go_on_in_the_server(
    connector: PostgresConnector, superuser: psycopg.Connection[tuple[int]]
) -> None:
    outcome = ask(
        connector,
        "SELECT count(*) AS n FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b",
        seconds=0.3,
    )
    assert outcome.status is Status.ERROR
    assert _working(superuser) == 0


def _working(superuser: psycopg.Connection[tuple[int]]) -> int:
    query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'assay' AND state = 'active'"
    end = time.monotonic() + 3
    while time.monotonic() < end:
        row = superuser.execute(query).fetchone()
        if row == (0,):
            return 0
        time.sleep(0.05)
    return -1


def test_a_value_of_a_hundred_megabytes_is_cut_while_it_is_read(connector: PostgresConnector) -> None:
    # libpq reads on while there is something to read: a server that keeps pace with it is read to the end.
    ask(connector, "SELECT 1 AS n")
    before = _peak()
    assert min(_peak_of_a_huge_value(connector) - before for _ in range(4)) < 30_000, "kilobytes"


def _peak_of_a_huge_value(connector: PostgresConnector) -> int:
    """Return how many kilobytes this process had meanwhile, at its largest."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak is measured anew
    outcome = ask(connector, "SELECT repeat('x', 100000000) AS text", seconds=10)
    assert outcome.status is Status.TRUNCATED
    assert outcome.result == {"found": [], "row_count": 0}
    return _peak()


def _peak() -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def test_rows_without_end_keep_what_fits(connector: PostgresConnector) -> None:
    outcome = ask(connector, "SELECT repeat('x', 1000) AS text FROM generate_series(1, 1000000)", size=10_000)
    assert outcome.status is Status.TRUNCATED
    assert outcome.result["row_count"] == 9


def test_what_waits_to_be_read_is_counted_once(superuser: psycopg.Connection[tuple[int]]) -> None:
    pgconn, deadline = superuser.pgconn, Deadline(20)
    pgconn.send_query(b"SELECT repeat('x', 1000) FROM generate_series(1, 300)")
    pgconn.set_single_row_mode()
    pgwire.flush(pgconn, deadline)
    # A reader that is slower than the server: all that the socket holds is there already.
    wait_until(lambda: pgwire._waiting_bytes(pgconn.socket) > 100_000, seconds=10)
    rows, allowance = 0, Allowance(400_000)
    while pgwire.arrive(pgconn, deadline, allowance) and (result := pgconn.get_result()):
        rows += result.ntuples
    assert rows == 300


def test_many_calls_at_once_share_few_connections_and_leave_none_behind(
    connector: PostgresConnector, superuser: psycopg.Connection[tuple[int]]
) -> None:
    questions = [
        "SELECT 1 AS n",
        "SELECT nonesuch",
        "SELECT repeat('x', 10000000) AS text",
        "COMMIT",
        "SELECT pg_sleep(0.05)",
    ]
    with ThreadPoolExecutor(12) as pool:
        outcomes = list(pool.map(lambda n: ask(connector, questions[n % 5], seconds=20), range(200)))
    assert [outcome.status for outcome in outcomes[:5]] == [
        Status.OBSERVED,
        Status.ERROR,
        Status.TRUNCATED,
        Status.ERROR,
        Status.OBSERVED,
    ]
    assert {outcome.status for outcome in outcomes} == {Status.OBSERVED, Status.ERROR, Status.TRUNCATED}
    query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'assay'"
    left = superuser.execute(query).fetchone()
    assert left is not None
    assert left[0] <= CONNECTIONS
    connector.close()
    end = time.monotonic() + 3
    while superuser.execute(query).fetchone() != (0,) and time.monotonic() < end:
        time.sleep(0.05)
    assert superuser.execute(query).fetchone() == (0,)


def test_a_call_that_finds_every_connection_busy_says_so(connector: PostgresConnector) -> None:
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        slow = [pool.submit(ask, connector, "SELECT pg_sleep(1.2)", seconds=5) for _ in range(CONNECTIONS)]
        time.sleep(0.4)
        outcome = ask(connector, "SELECT 1 AS n", seconds=0.2)
        assert [future.result().status for future in slow] == [Status.OBSERVED] * CONNECTIONS
    assert (outcome.status, outcome.reason) == (Status.UNAVAILABLE, "faults: all 3 connections are in use")


def test_a_table_that_somebody_locked_is_not_waited_for(
    connector: PostgresConnector, superuser: psycopg.Connection[tuple[int]]
) -> None:
    superuser.execute("CREATE TABLE IF NOT EXISTS locked(i int)")
    with superuser.transaction():
        superuser.execute("LOCK TABLE locked IN ACCESS EXCLUSIVE MODE")
        outcome = ask(connector, "SELECT * FROM locked", seconds=5)
    assert (outcome.status, outcome.reason) == (
        Status.ERROR,
        "faults: the place searched is locked by somebody else",
    )


def test_a_server_without_a_free_connection_is_unavailable(
    connector: PostgresConnector, server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as link:
        link.execute("DROP ROLE IF EXISTS one_only")
        link.execute("CREATE ROLE one_only LOGIN CONNECTION LIMIT 0")
    monkeypatch.setenv("FAULTS_READER_URL", server.dsn("postgres", "one_only"))
    outcome = ask(connector, "SELECT 1 AS n")
    assert (outcome.status, outcome.reason) == (
        Status.UNAVAILABLE,
        "faults: the database accepts no more connections",
    )


def test_questions_of_one_call_see_one_moment_and_leave_no_transaction_open(
    connector: PostgresConnector, superuser: psycopg.Connection[tuple[int]]
) -> None:
    ask(connector, "SELECT 1 AS n")
    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'assay' AND xact_start IS NOT NULL"
    )
    assert superuser.execute(query).fetchone() == (0,)


def test_what_a_session_could_remember_is_forgotten_between_calls(connector: PostgresConnector) -> None:
    # The role here is the superuser: nothing but the connector's own reset protects the next caller.
    for poison in (
        "SELECT set_config('work_mem', '77MB', false)",
        "SELECT pg_advisory_lock(42)::text",
        "SELECT set_config('transaction_read_only', 'off', false)",
        "SELECT set_config('default_transaction_read_only', 'off', false)",
    ):
        ask(connector, poison)
        after = ask(
            connector,
            "SELECT current_setting('work_mem') AS memory, current_setting('transaction_read_only') AS reads,"
            " (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks",
        )
        assert after.result["found"] == [{"memory": "4MB", "reads": "on", "locks": 0}], poison


@pytest.mark.parametrize(
    "statement",
    [
        "COMMIT; CREATE TABLE pwned(i int)",
        "CREATE TABLE pwned(i int)",
        "EXPLAIN ANALYZE CREATE TABLE pwned AS SELECT 1",
        "COPY (SELECT 1) TO PROGRAM 'touch /tmp/mcp_pwned_super'",
        "WITH x AS (INSERT INTO kept VALUES (1) RETURNING i) SELECT * FROM x",
        "SELECT nextval('counted')",
        "SELECT i FROM kept FOR UPDATE",
        "DO $$ BEGIN CREATE TABLE pwned(i int); END $$",
        "PREPARE p AS SELECT 1",
        "LISTEN jobs",
        "SET work_mem = '1GB'",
        "ALTER ROLE CURRENT_USER SET work_mem = '1GB'",
    ],
)
def test_even_a_superusers_session_only_reads(
    connector: PostgresConnector, superuser: psycopg.Connection[tuple[int]], statement: str
) -> None:
    superuser.execute("CREATE TABLE IF NOT EXISTS kept(i int)")
    superuser.execute("CREATE SEQUENCE IF NOT EXISTS counted")
    assert ask(connector, statement).status is Status.ERROR
    query = "SELECT count(*) FROM pg_class WHERE relname = 'pwned'"
    assert superuser.execute(query).fetchone() == (0,)
    assert superuser.execute("SELECT count(*) FROM kept").fetchone() == (0,)
    assert superuser.execute("SELECT is_called::int FROM counted").fetchone() == (0,)
    assert not Path("/tmp/mcp_pwned_super").exists()
