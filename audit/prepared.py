"""Statements that stand before every call: bound by the server, and planned once for each kept connection.

Django's own cursor writes the values into the text, so that the server parses and plans each anew.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections

_UNAWAITED = """WITH unawaited AS MATERIALIZED (
    SELECT CASE WHEN %(alone)s THEN set_config('synchronous_commit', 'off', true) END
), """


def rows(
    statement: str, values: Sequence[Any] | Mapping[str, Any] = (), *, using: str = DEFAULT_DB_ALIAS
) -> list[tuple[Any, ...]]:
    """Run one statement in the transaction that is open, or in one of its own; return its rows.

    Raises Django's DatabaseError; a transaction that is open can then only be rolled back.
    """
    connection = connections[using]
    with connection.wrap_database_errors, _link(connection) as link, psycopg.Cursor(link) as cursor:
        cursor.execute(statement.encode(), values)
        return cursor.fetchall()


def unawaited(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run one statement as `rows` does, for what may be written to the disk with the next commit.

    No killed process loses it; a crash of the database's machine may, together with all that came after it.
    The statement goes on a WITH and reads the relation `unawaited`. In a transaction that is open it is like
    any other.
    """
    alone = not connections[DEFAULT_DB_ALIAS].in_atomic_block
    return rows(_UNAWAITED + statement, {**values, "alone": alone})


@contextmanager
def _link(connection: Any) -> Iterator["psycopg.Connection[Any]"]:
    """Yield the connection that is open; where none is, one of the pool's for this statement alone.

    Django takes one from the pool for good, and asks and sets up so much that it costs as much as the query.
    """
    pool = connection.pool if connection.connection is None and not connection.in_atomic_block else None
    if pool is None:
        connection.ensure_connection()
        connection.validate_no_broken_transaction()
        yield connection.connection
        return
    pool.open()
    link = pool.getconn()
    try:
        if not link.autocommit:
            link.autocommit = True
        yield link
    finally:
        pool.putconn(link)
