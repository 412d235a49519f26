"""Questions to MariaDB: typed values, arguments as data, each end with its reason, a server that fails."""

import os
import resource
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pymysql
import pytest

from assay_core.results import Status
from tests.db import mariadb
from tests.db.test_readonly_attempts import tool
from toolbox.connectors.base import Outcome
from toolbox.connectors.fetched import TooLarge
from toolbox.connectors.mysql import MysqlConnector
from toolbox.connectors.mysqlgate import compiled
from toolbox.connectors.mysqllink import ReadLink
from toolbox.deadline import Deadline
from toolbox.definitions import Limits, SqlQuestion, ToolDefinition


@pytest.fixture(scope="module")
def server() -> Iterator[mariadb.MariadbServer]:
    with mariadb.server() as made:
        yield made


@pytest.fixture
def connector(server: mariadb.MariadbServer, monkeypatch: pytest.MonkeyPatch) -> MysqlConnector:
    monkeypatch.setenv("ASKED_MARIADB_URL", server.address())
    return MysqlConnector("shop", "The shop", "ASKED_MARIADB_URL", connections=2)


def declared(sql: str, control: str = "", **parts: Any) -> ToolDefinition:
    question = SqlQuestion(compiled(sql), compiled(control) if control else None)
    return replace(tool(""), question=question, input={"properties": parts.pop("properties", {})}, **parts)


def ask(connector: MysqlConnector, made: ToolDefinition, **arguments: Any) -> Outcome:
    return connector.ask(made, arguments, datetime.now(UTC))


def test_every_type_is_a_plain_value(connector: MysqlConnector) -> None:
    outcome = ask(connector, declared("SELECT * FROM mixed", shape="one", key="row"))
    assert outcome.status is Status.OBSERVED, outcome
    assert outcome.result["row"] == {
        "tiny": 1,
        "big": "18446744073709551615",
        "price": "12.5000",
        "half": 1.5,
        "word": "a",
        "raw": "\\x00ff",
        "day": "2026-03-01",
        "moment": "2026-03-01T10:00:00.250",
        "at": "2026-03-01T10:00:00.500000Z",
        "span": "-01:02:03",
        "flags": "\\x05",
        "nothing": None,
        "document": '{"a": 1}',
        "face": "\U0001f600",
    }


@pytest.mark.parametrize(
    "hostile",
    [
        "'; DROP TABLE orders; -- ",
        "\\' OR 1=1 -- ",
        "\\",
        'a"b`c?%s%(x)s',
        "\U0001f600 \u00e9 /*! */",
        "",
        "' INTO OUTFILE '/tmp/x",
    ],
)
def test_arguments_reach_the_server_as_data_whatever_they_spell(
    connector: MysqlConnector, hostile: str
) -> None:
    made = declared(
        "SELECT %(text)s AS said, CHAR_LENGTH(%(text)s) AS size, '%%?' AS mark", shape="one", key="row"
    )
    assert ask(connector, made, text=hostile).result == {
        "row": {"said": hostile, "size": len(hostile), "mark": "%?"}
    }


def test_lists_numbers_flags_times_and_missing_arguments_are_typed(connector: MysqlConnector) -> None:
    made = declared(
        "SELECT COUNT(*) AS n, %(flag)s AS flag, %(half)s AS half, %(gone)s AS gone, "
        "MAX(placed_at > %(since)s) AS later FROM orders WHERE id IN %(ids)s",
        shape="one",
        key="row",
        properties={"since": {"type": "string", "format": "date-time"}},
    )
    arguments: Mapping[str, Any] = {"flag": True, "half": 1.5, "ids": [1, 2, 3]}
    since = "2026-03-01T09:59:59.000000Z"
    assert ask(connector, made, since=since, **arguments).result == {
        "row": {"n": 3, "flag": 1, "half": "1.5", "gone": None, "later": 1}
    }
    assert ask(connector, made, since="2026-03-01T11:00:00+01:00", **arguments).result["row"]["later"] == 0
    assert ask(connector, made, since=since, ids=[]).result["row"]["n"] == 0


@pytest.mark.parametrize(("value", "words"), [("a\x00b", "a NUL"), ({"a": 1}, "dict"), ([[1]], "list")])
def test_an_argument_that_is_no_value_is_refused(connector: MysqlConnector, value: Any, words: str) -> None:
    outcome = ask(connector, declared("SELECT %(text)s AS said"), text=value)
    assert outcome.status is Status.REFUSED
    assert words in outcome.reason


@pytest.mark.parametrize(
    ("sql", "control", "status", "words"),
    [
        ("SELECT id FROM orders WHERE id = -1", "", Status.UNANSWERABLE, "no control question"),
        ("SELECT id FROM orders WHERE id = -1", "SELECT COUNT(*) > 0 AS holds FROM orders", Status.EMPTY, ""),
        (
            "SELECT id FROM orders WHERE id = -1",
            "SELECT 1 > 2 AS holds",
            Status.UNANSWERABLE,
            "finds nothing",
        ),
        ("SELECT id FROM orders", "SELECT 'yes' AS holds", Status.ERROR, "no boolean column"),
        ("SELECT id FROM orders", "SELECT 1 AS holds UNION SELECT 0", Status.ERROR, "exactly one row"),
        ("SELECT id FROM orders", "", Status.TRUNCATED, "more than 50 rows"),
        ("SELECT nonesuch FROM orders", "", Status.ERROR, "Unknown column 'nonesuch'"),
        ("SELECT * FROM secrets", "", Status.ERROR, "may not read this (table `shop`.`secrets`)"),
        ("SELECT * FROM sneaky", "", Status.ERROR, "may not read this"),
        ("SELECT COUNT(*) AS n FROM orders a, orders b, orders c, orders d", "", Status.ERROR, "too long"),
        (
            "SELECT GROUP_CONCAT(a.note, b.note) AS text FROM orders a, orders b",
            "",
            Status.TRUNCATED,
            "more than 65536 bytes",
        ),
        # What the server itself warns of is never plain, and finding nothing in it proves nothing.
        (
            "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT MAX(i) AS n FROM r",
            "",
            Status.TRUNCATED,
            "the server stopped before",
        ),
        ("SELECT 0 / 0 AS share", "", Status.TRUNCATED, "divided by zero"),
        (
            "SELECT id FROM orders WHERE note = 1",
            "SELECT 1 AS holds",
            Status.UNANSWERABLE,
            "a number or a time",
        ),
        (
            "SELECT COUNT(*) AS n FROM orders",
            "SELECT COUNT(*) > 0 AS holds FROM orders WHERE note <> 1",
            Status.ERROR,
            "is answered with a doubt",
        ),
        ("SELECT CAST(-1 AS UNSIGNED) AS n", "", Status.OBSERVED, ""),
        ("SELECT a.note FROM orders a, orders b, orders c", "", Status.TRUNCATED, "more than 50 rows"),
    ],
)
def test_each_end_has_its_type_and_its_reason(
    connector: MysqlConnector, sql: str, control: str, status: Status, words: str
) -> None:
    began = time.monotonic()
    outcome = ask(connector, declared(sql, control, limits=Limits(50, 65_536, 1.0)))
    assert outcome.status is status, outcome
    assert words in outcome.reason
    assert "localhost" not in outcome.reason
    assert time.monotonic() - began < 10


def test_nothing_of_a_call_is_left_in_the_server(
    connector: MysqlConnector, server: mariadb.MariadbServer
) -> None:
    for sql in ("SELECT 1 AS n", "SELECT nonesuch", "SELECT a.id FROM orders a, orders b, orders c"):
        ask(connector, declared(sql, limits=Limits(5, 65_536, 1.0)))
    with server.root() as link:
        end = time.monotonic() + 3
        query = f"SELECT COUNT(*) FROM information_schema.processlist WHERE user = '{mariadb.READER}'"
        while mariadb.rows(link, query) != ((0,),):
            assert time.monotonic() < end, "a session of the reader is left"
            time.sleep(0.02)


def test_a_server_that_hangs_ends_the_call_at_its_deadline(
    connector: MysqlConnector, server: mariadb.MariadbServer
) -> None:
    os.kill(server.pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        outcome = ask(connector, declared("SELECT 1 AS n", limits=Limits(5, 65_536, 0.5)))
        took = time.monotonic() - began
    finally:
        os.kill(server.pid, signal.SIGCONT)
    assert outcome.status is Status.ERROR
    assert outcome.reason == "shop: the question took longer than 0.5 s and was cancelled"
    assert took < 2
    assert ask(connector, declared("SELECT 1 AS n")).status is Status.OBSERVED


def test_more_calls_than_connections_wait_and_a_wait_without_end_is_unavailable(
    connector: MysqlConnector,
) -> None:
    slow = declared(
        "SELECT COUNT(*) AS n FROM orders a, orders b, orders c, orders d", limits=Limits(5, 65_536, 1.5)
    )
    threads = [threading.Thread(target=ask, args=(connector, slow)) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    outcome = ask(connector, declared("SELECT 1 AS n", limits=Limits(5, 65_536, 0.2)))
    for thread in threads:
        thread.join()
    assert (outcome.status, outcome.reason) == (Status.UNAVAILABLE, "shop: all 2 connections are in use")


def test_a_tool_is_checked_without_being_asked(connector: MysqlConnector) -> None:
    good = declared("SELECT id FROM orders WHERE id = %(id)s", "SELECT COUNT(*) > 0 AS holds FROM orders")
    assert connector.check(good, Deadline(5)) == ""
    assert "Unknown column" in connector.check(declared("SELECT nonesuch FROM orders"), Deadline(5))
    assert "may not read" in connector.check(declared("SELECT 1 AS n", "SELECT id FROM secrets"), Deadline(5))


def test_a_server_that_is_stopped_is_unavailable(
    server: mariadb.MariadbServer, connector: MysqlConnector
) -> None:
    server.stop()
    try:
        outcome = ask(connector, declared("SELECT 1 AS n"))
    finally:
        server.start()
    assert (outcome.status, outcome.reason) == (
        Status.UNAVAILABLE,
        "shop: nothing answers at the database's address",
    )
    assert ask(connector, declared("SELECT 1 AS n")).status is Status.OBSERVED


def test_a_second_statement_is_refused_by_the_driver_as_well(server: mariadb.MariadbServer) -> None:
    with server.root("shop") as link, pytest.raises(pymysql.err.ProgrammingError):
        mariadb.rows(link, "SELECT 1; SELECT 2")


def test_an_answer_is_not_read_beyond_what_its_call_may_take(server: mariadb.MariadbServer) -> None:
    deadline = Deadline(10)
    link = ReadLink.open(server.address(), deadline)
    try:
        link.begin(deadline)
        began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with pytest.raises(TooLarge) as stopped:
            link.fetch("SELECT REPEAT('x', 15000000) AS a, REPEAT('y', 15000000) AS b", 5, 100_000, deadline)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - began
    finally:
        link.close()
    assert stopped.value.fetched.rows == []
    assert grown < 8_000  # kilobytes
