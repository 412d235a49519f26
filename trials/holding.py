"""One process at a time, by a lock of the database's that ends with its connection, however that ends."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum

from django.db import DatabaseError, connection


class Held(IntEnum):
    """What is held: the first of the two numbers of PostgreSQL's advisory locks."""

    EVALUATION = 0x4556_4452
    EVALUATION_RUN = 0x4556_414C
    SCHEDULED_TRIAL = 0x5363_6864
    DRILL_RUN = 1_947_551_203


@contextmanager
def held(what: Held, number: int) -> Iterator[bool]:
    """Hold one for this connection while the block runs; yield whether it is ours."""
    lock = [what.value, number % 2**31]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", lock)
        is_ours = bool(cursor.fetchone()[0])
    try:
        yield is_ours
    finally:
        # With the connection the lock is gone too; what ended it is what has to be told.
        if is_ours:
            with suppress(DatabaseError), connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", lock)
