"""Statements past the driver's cursor: the same values both ways, nothing answered before it is committed."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

import psycopg
import pytest
from psycopg import errors

from audit import straight

Link = psycopg.Connection[Any]


@pytest.fixture
def link(superuser_dsn: str) -> Iterator[Link]:
    """A connection as the pool gives it: each statement its own transaction, and statements prepared."""
    with psycopg.connect(superuser_dsn, autocommit=True, prepare_threshold=2) as link:
        yield link


def prepared(link: Link) -> int:
    row = link.execute("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'assay%'").fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("SELECT 1, 'a%%b'", ()),
        ("SELECT %s::text, %s::bigint", ["ü", 2**40]),
        (
            "SELECT %(a)s::text, %(b)s::int, %(a)s::text || '!', %(c)s::text[]",
            {"a": "x", "b": None, "c": ["1", "{"]},
        ),
        (
            "SELECT %(a)s::bytea, %(b)s::bool, %(c)s::timestamptz",
            {"a": b"\x00\xff", "b": True, "c": datetime(2026, 5, 4, 3, 2, 1, 6, UTC)},
        ),
        ("SELECT n, n::text FROM generate_series(1, %s) AS n", [2000]),
        ("SELECT 1 WHERE false", ()),
    ],
)
def test_values_go_and_come_as_the_drivers_cursor_has_them(link: Link, statement: str, values: Any) -> None:
    expected = link.execute(statement.encode(), values).fetchall()
    assert [straight.rows(link, statement, values) for _ in range(3)] == [expected] * 3


def test_a_statement_is_prepared_once_for_each_kind_of_its_values(link: Link) -> None:
    for value in (1, 2, 2**40, 3, None, 4):
        assert straight.rows(link, "SELECT %s::bigint", [value]) == [(value,)]
    assert prepared(link) == 3


def test_a_connection_that_prepares_nothing_is_left_without(app_dsn: str) -> None:
    with psycopg.connect(app_dsn, autocommit=True, prepare_threshold=None) as link:
        assert straight.rows(link, "SELECT %s::int", [1]) == [(1,)]
        assert prepared(link) == 0


def test_what_the_server_forgot_is_prepared_anew(link: Link) -> None:
    assert straight.rows(link, "SELECT %s::int", [1]) == [(1,)]
    link.execute("DEALLOCATE ALL")
    assert [straight.rows(link, "SELECT %s::int", [value]) for value in (1, 2)] == [[(1,)], [(2,)]]
    assert prepared(link) == 1


def test_a_statement_whose_commit_fails_has_no_rows(link: Link) -> None:
    link.execute("CREATE TEMP TABLE once (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
    twice = "INSERT INTO once SELECT %s::int FROM generate_series(1, 2) RETURNING a"
    with pytest.raises(errors.UniqueViolation):
        straight.rows(link, twice, [1])
    assert straight.rows(link, "SELECT count(*) FROM once", ()) == [(0,)]


def test_a_refused_statement_says_why_and_the_next_one_is_answered(link: Link) -> None:
    with pytest.raises(errors.DivisionByZero, match="division by zero"):
        straight.rows(link, "SELECT 1 / %s::int", [0])
    with pytest.raises(psycopg.DataError, match="NUL"):
        straight.rows(link, "SELECT %s::text", ["a\x00b"])
    assert straight.rows(link, "SELECT 1 / %s::int", [1]) == [(1,)]


def test_a_connection_that_is_gone_is_an_operational_error(link: Link, superuser_dsn: str) -> None:
    with psycopg.connect(superuser_dsn, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [link.info.backend_pid])
    with pytest.raises(psycopg.OperationalError):
        straight.rows(link, "SELECT pg_sleep(1)", ())
    assert link.closed


def test_inside_a_transaction_it_is_part_of_it_and_keeps_nothing(superuser_dsn: str) -> None:
    with psycopg.connect(superuser_dsn, prepare_threshold=2) as link:
        assert not straight.can_go(link)  # BEGIN has to be sent first
        link.execute("CREATE TEMP TABLE mine (a int)")
        assert straight.can_go(link)
        assert straight.rows(link, "INSERT INTO mine VALUES (%s::int) RETURNING a", [1]) == [(1,)]
        assert prepared(link) == 0
        link.rollback()
        assert link.execute("SELECT to_regclass('mine')").fetchone() == (None,)


def test_something_else_is_done_while_the_server_is_at_work(link: Link, superuser_dsn: str) -> None:
    """Here the server waits for it: done before or after that, the statement would fail."""
    link.execute("SET statement_timeout = '20s'")
    with psycopg.connect(superuser_dsn, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(41)")

        def meanwhile() -> None:
            waiting = "SELECT FROM pg_locks WHERE objid = 41 AND NOT granted"
            assert any(other.execute(waiting).fetchall() for _ in range(20_000))
            other.execute("SELECT pg_advisory_unlock(41)")

        waits = "SELECT %s::int FROM (SELECT pg_advisory_lock(41)) AS waited"
        assert straight.rows(link, waits, [1], meanwhile=meanwhile) == [(1,)]


def test_what_fails_meanwhile_is_told_once_the_statement_is_committed(link: Link) -> None:
    link.execute("CREATE TEMP TABLE mine (a int)")

    def meanwhile() -> None:
        raise KeyError("a")

    with pytest.raises(KeyError):
        straight.rows(link, "INSERT INTO mine VALUES (%s::int)", [1], meanwhile=meanwhile)
    assert straight.rows(link, "SELECT a FROM mine", ()) == [(1,)]


def test_what_is_done_meanwhile_is_done_once_though_the_server_forgot(link: Link) -> None:
    done: list[int] = []
    for number in (1, 2):
        straight.rows(link, "SELECT %s::int", [number], meanwhile=partial(done.append, number))
        link.execute("DEALLOCATE ALL")
    assert done == [1, 2]
