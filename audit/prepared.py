"""Statements that stand before every call: bound by the server, and planned once for each kept connection.

Django's own cursor writes the values into the text, so that the server parses and plans each anew.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections


def rows(
    statement: str, values: Sequence[Any] | Mapping[str, Any] = (), *, using: str = DEFAULT_DB_ALIAS
) -> list[tuple[Any, ...]]:
    """Run one statement in the transaction that is open, or in one of its own; return its rows.

    Raises Django's DatabaseError; a transaction that is open can then only be rolled back.
    """
    connection = connections[using]
    connection.ensure_connection()
    connection.validate_no_broken_transaction()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(statement.encode(), values)
        return cursor.fetchall()
