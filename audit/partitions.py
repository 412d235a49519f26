"""The monthly partitions of the entries, made ahead of time."""

from django.db import connection


def prepare() -> tuple[str, ...]:
    """Make the missing partitions of this month and the next two; return the names of those made.

    A month that already has rows in the default partition stays there: an append never fails for want of
    a partition, and moving rows would be a change of the log. Raises an OperationalError when the tables are
    busy for longer than two seconds; the next round tries again.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT audit_prepare_partitions()")
        return tuple(name for (name,) in cursor.fetchall())
