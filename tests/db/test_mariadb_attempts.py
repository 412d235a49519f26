"""Statements that try to do more than read, put through the MySQL connector's own execution path."""

import contextlib
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pymysql.connections import Connection

from assay_core.results import Status
from tests.conftest import wait_until
from tests.db import mariadb
from tests.db.test_readonly_attempts import tool
from toolbox.connectors.base import Outcome
from toolbox.connectors.mysql import MysqlConnector
from toolbox.connectors.mysqlgate import StatementRefused, rendered
from toolbox.definitions import Statement

ATTEMPTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "mariadb_attempts.jsonl").read_text(encoding="utf-8").splitlines()
]
_LONGEST = 10  # seconds until an attempt is over, on its server too


@pytest.fixture(scope="module")
def server() -> Iterator[mariadb.MariadbServer]:
    with mariadb.server() as made:
        yield made


@pytest.fixture(scope="module")
def root(server: mariadb.MariadbServer) -> "Iterator[Connection[Any]]":
    with contextlib.closing(server.root()) as link:
        yield link


@pytest.fixture(scope="module")
def connector(server: mariadb.MariadbServer) -> Iterator[MysqlConnector]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTEMPTS_MARIADB_URL", server.address())
        yield MysqlConnector("attempts", "Attempts", "ATTEMPTS_MARIADB_URL", connections=1)


@pytest.fixture(scope="module")
def victim(server: mariadb.MariadbServer) -> "Iterator[Connection[Any]]":
    """Another session of the same account, which no attempt may touch. It holds a lock of its own."""
    import pymysql

    with contextlib.closing(
        pymysql.connect(
            user=mariadb.READER, password=mariadb.PASSWORD, unix_socket=str(server.socket), ssl_disabled=True
        )
    ) as link:
        mariadb.rows(link, "SELECT GET_LOCK('jobs', 1)")
        yield link


def ask(connector: MysqlConnector, sql: str) -> Outcome:
    return connector.ask(tool(sql), {}, datetime.now(UTC))


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    """What was there after an attempt that changed nothing: it is there before the next one too."""
    return {}


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=[attempt["id"] for attempt in ATTEMPTS])
def test_an_attempt_ends_as_expected_and_changes_nothing(
    attempt: dict[str, str],
    server: mariadb.MariadbServer,
    connector: MysqlConnector,
    root: "Connection[Any]",
    victim: "Connection[Any]",
    seen: dict[str, Any],
) -> None:
    sql = attempt["sql"].replace("KILL QUERY 1", f"KILL QUERY {victim.thread_id()}")
    sql = sql.replace("/tmp/", f"{server.folder}/")  # where the server's account may write
    before = dict(seen) or mariadb.state(server, root)
    seen.clear()  # looked at anew by the next, should this one fail

    began = time.monotonic()
    outcome = ask(connector, sql)
    took = time.monotonic() - began

    assert took < 5, outcome
    # A pattern that is being matched hears of its limit late, on a busy machine after its answer is here.
    # What the server tells of transactions is as old as the last look, until nobody looks for 0.1 s.
    wait_until(lambda: _is_at_rest(root), seconds=_LONGEST - took, every=0.25)
    assert mariadb.state(server, root) == before
    assert mariadb.rows(victim, "SELECT 1") == ((1,),)
    seen.update(before)
    match attempt["expect"]:
        case "error":
            assert outcome.status is Status.ERROR, outcome
        case "rolled_back":
            assert outcome.status in (Status.ERROR, Status.OBSERVED), outcome
        case "bounded":
            assert outcome.status in (Status.ERROR, Status.TRUNCATED, Status.OBSERVED), outcome
        case "allowed":
            assert outcome.status is Status.OBSERVED, outcome


def _is_at_rest(root: "Connection[Any]") -> bool:
    return bool(mariadb.rows(root, "SELECT COUNT(*) = 0 FROM information_schema.innodb_trx") == ((1,),))


def test_the_comparison_sees_a_change(
    server: mariadb.MariadbServer, root: "Connection[Any]", victim: "Connection[Any]"
) -> None:
    before = mariadb.state(server, root)
    mariadb.run(root, ["UPDATE shop.orders SET amount = amount + 1 WHERE id = 1", "DO NEXTVAL(shop.s1)"])
    after = mariadb.state(server, root)
    mariadb.run(root, ["UPDATE shop.orders SET amount = amount - 1 WHERE id = 1"])
    assert {name for name in after if after[name] != before[name]} == {"orders", "sequence"}


def test_every_attempt_that_is_no_select_is_stopped_before_it_is_sent() -> None:
    for attempt in ATTEMPTS:
        first = attempt["sql"].lstrip("( ").split(maxsplit=1)[0].upper()
        if first not in ("SELECT", "WITH"):
            with pytest.raises(StatementRefused):
                rendered(Statement(attempt["sql"]), ())
