"""How far the seal is behind the entries, and which transaction holds it back."""

from dataclasses import dataclass

from django.db import DEFAULT_DB_ALIAS, connections

ALARM_SECONDS = 60.0
_AFTER = "SELECT after_xid::text, after_id FROM audit_batch ORDER BY id DESC LIMIT 1"
# The place comes as plain values: the planner knows what lies behind those, and nothing of a query inside it.
_WAITING = """
    SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(e.recorded_at)), 0)::float8
    FROM audit_entry e
    WHERE (e.xid, e.id) > (%s::xid8, %s::bigint)
      AND NOT EXISTS (SELECT FROM audit_leaf l WHERE l.entry = e.id)
"""
# The oldest transaction that may still write; the horizon is the cluster's, not the database's.
_HOLDER = """
    SELECT a.pid, coalesce(a.datname, '-'), coalesce(a.usename, '-'), coalesce(a.application_name, ''), ''
    FROM pg_stat_activity a
    WHERE a.backend_xid IS NOT NULL AND a.pid <> pg_backend_pid()
      AND a.backend_xid::text::bigint = pg_snapshot_xmin(pg_current_snapshot())::text::bigint % 4294967296
    UNION ALL
    SELECT 0, p.database, p.owner, '', p.gid FROM pg_prepared_xacts p
    WHERE p.transaction::text::bigint = pg_snapshot_xmin(pg_current_snapshot())::text::bigint % 4294967296
    LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Holder:
    """The transaction that the seal waits for. A prepared one has no process, but a name."""

    pid: int
    database: str
    user: str
    application: str
    prepared: str

    def __str__(self) -> str:
        who = f" ({self.application})" if self.application else ""
        if self.prepared:
            return f"the prepared transaction {self.prepared!r} of {self.user} in database {self.database}"
        return f"process {self.pid} of {self.user} in database {self.database}{who}"

    @property
    def cure(self) -> str:
        """The statement that ends it."""
        if self.prepared:
            return f"In {self.database}: ROLLBACK PREPARED '{self.prepared}' (or COMMIT PREPARED)."
        return f"Find out what it does, then SELECT pg_terminate_backend({self.pid});"


@dataclass(frozen=True, slots=True)
class Lag:
    """How many entries are not sealed yet, and for how long the oldest of them has waited."""

    waiting: int
    seconds: float
    holder: Holder | None

    @property
    def is_late(self) -> bool:
        """Whether somebody should look."""
        return self.seconds > ALARM_SECONDS

    def __str__(self) -> str:
        if not self.waiting:
            return "every entry is sealed"
        many = "1 entry is" if self.waiting == 1 else f"{self.waiting:,} entries are"
        said = f"{many} not sealed yet, the oldest for {self.seconds:.0f} s"
        return f"{said}; {self.holder} holds the seal back" if self.holder and self.is_late else said


def lag(*, using: str = DEFAULT_DB_ALIAS) -> Lag:
    """Return the lag now. Raises DatabaseError."""
    with connections[using].cursor() as cursor:
        cursor.execute(_AFTER)
        cursor.execute(_WAITING, cursor.fetchone() or ("0", 0))
        waiting, seconds = cursor.fetchone()
        cursor.execute(_HOLDER)
        row = cursor.fetchone()
    return Lag(waiting, max(0.0, seconds) if waiting else 0.0, Holder(*row) if row else None)
