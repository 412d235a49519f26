"""Statements that stand before every call: bound by the server, and planned once for each kept connection.

Django's own cursor writes the values into the text, so that the server parses and plans each anew.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections

from audit import straight

_UNAWAITED = """WITH unawaited AS MATERIALIZED (
    SELECT CASE WHEN %(alone)s THEN set_config('synchronous_commit', 'off', true) END
), """


Values = Sequence[Any] | Mapping[str, Any]


def rows(
    statement: str,
    values: Values = (),
    *,
    using: str = DEFAULT_DB_ALIAS,
    meanwhile: straight.Meanwhile | None = None,
) -> list[tuple[Any, ...]]:
    """Run one statement in the transaction that is open, or in one of its own; return its rows.

    `meanwhile` runs while the server is at work, as a rule. Raises Django's DatabaseError; a transaction that
    is open can then only be rolled back.
    """
    connection: Any = connections[using]
    with connection.wrap_database_errors:
        # Django takes one from the pool for good, and sets up so much that it costs as much as a query.
        is_open = connection.connection is not None or connection.in_atomic_block
        pool = None if is_open else connection.pool
        if pool is not None:
            return _by_pool(pool, statement, values, meanwhile=meanwhile)
        connection.ensure_connection()
        connection.validate_no_broken_transaction()
        return _by(connection.connection, statement, values, meanwhile=meanwhile)


def unawaited(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run one statement as `rows` does, for what may be written to the disk with the next commit.

    No killed process loses it; a crash of the database's machine may, together with all that came after it.
    The statement goes on a WITH and reads the relation `unawaited`. In a transaction that is open it is like
    any other.
    """
    alone = not connections[DEFAULT_DB_ALIAS].in_atomic_block
    return rows(_UNAWAITED + statement, {**values, "alone": alone})


def _by_pool(
    pool: Any, statement: str, values: Values, *, meanwhile: straight.Meanwhile | None
) -> list[tuple[Any, ...]]:
    """Run one statement by a connection of the pool that is taken for it alone."""
    pool.open()
    link = pool.getconn()
    try:
        if not link.autocommit:
            link.autocommit = True
        return _by(link, statement, values, meanwhile=meanwhile)
    finally:
        pool.putconn(link)


def _by(
    link: straight.Link, statement: str, values: Values, *, meanwhile: straight.Meanwhile | None
) -> list[tuple[Any, ...]]:
    if straight.can_go(link):
        return straight.rows(link, statement, values, meanwhile=meanwhile)
    if meanwhile is not None:
        meanwhile()
    with psycopg.Cursor(link) as cursor:
        cursor.execute(statement.encode(), values)
        return cursor.fetchall()
