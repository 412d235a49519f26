"""One session of a reader role and the only way that a question is put through it.

DECLARE CURSOR over the extended protocol is the gate: the server itself accepts one statement there,
and only one that reads. No declared text goes by the simple protocol; every transaction is rolled back.
"""

import contextlib
import math
import select
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import psycopg
from psycopg import conninfo, pq

from toolbox.connectors import pgflight, pgvalues, pgwire
from toolbox.connectors.credential import Proof
from toolbox.connectors.fetched import Fetched, TooLarge
from toolbox.connectors.pgfailures import CannotConnect, SessionLost, SqlFailure, why_not_connected
from toolbox.connectors.pgflight import Asked, NotBegun
from toolbox.connectors.pgwire import Allowance
from toolbox.deadline import Deadline
from toolbox.definitions import Statement

_IDLE_MILLISECONDS = 60_000
# Of the role alone, or of it in a database: no file that is read again changes these while the session lasts.
# Nothing in it is looked for by the search_path: there, what others wrote may stand before the server's own.
_OWN_LIMITS = b"""
    SELECT setting FROM pg_catalog.pg_settings
    WHERE name OPERATOR(pg_catalog.=) ANY (ARRAY['idle_in_transaction_session_timeout', 'lock_timeout'])
          AND source OPERATOR(pg_catalog.=) ANY (ARRAY['user', 'database user'])
    ORDER BY name
"""
_OPTIONS = "-c DateStyle=ISO,YMD -c TimeZone=UTC -c IntervalStyle=iso_8601 -c bytea_output=hex"


class ReadSession:
    """A connection that only ever reads. Any exception but SqlFailure means: discard it."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._pgconn = connection.pgconn
        self.opened = self.used = time.monotonic()
        self.proof: Proof | None = None
        self._is_limited: bool | None = None

    @classmethod
    def open(cls, dsn: str, deadline: Deadline) -> "ReadSession":
        """Connect within the deadline; raise CannotConnect, which quotes nothing of the address."""
        try:
            parts = conninfo.conninfo_to_dict(dsn)
            parts["options"] = f"{parts.get('options') or ''} {_OPTIONS}".strip()
            parts.setdefault("application_name", "assay")
            parts["client_encoding"] = "utf8"
            parts["connect_timeout"] = max(2, math.ceil(deadline.left()))
            connection = psycopg.connect(
                conninfo.make_conninfo("", **parts), autocommit=True, prepare_threshold=None
            )
        except psycopg.ProgrammingError:
            raise CannotConnect("its connection string cannot be read") from None
        except psycopg.Error as error:
            raise CannotConnect(why_not_connected(str(error))) from None
        return cls(connection)

    def is_usable(self) -> bool:
        """Whether the connection is idle and silent: a closed or chatty one has something to read."""
        if self._pgconn.status != pq.ConnStatus.OK:
            return False
        if self._pgconn.transaction_status != pq.TransactionStatus.IDLE:
            return False
        return not select.select([self._pgconn.socket], [], [], 0)[0]

    def begin(self, deadline: Deadline, *, qualified: bool = False) -> None:
        """Open the read-only transaction with its limits; both questions of a call see one snapshot.

        `qualified` makes the server write every name with its schema.
        """
        opening = pgflight.opening(deadline, is_limited=False)
        text = ";".join([*opening, *(["SET LOCAL search_path=''"] if qualified else [])])
        self._exchange(lambda: self._pgconn.send_query(text.encode()), deadline)

    def put(
        self,
        questions: Sequence[Asked],
        deadline: Deadline,
        resetting: Deadline,
        meanwhile: Callable[[Sequence[Fetched]], None],
    ) -> list[Fetched]:
        """Put questions in one read-only transaction, roll back and forget, all in one round trip.

        Equal to begin, declare and fetch for each, and finish; what fails is seen once the server has rolled
        back. `meanwhile` is given the answers while it does that: they are none before. Raises NotBegun where
        the session turns out dead, SqlFailure (the session may be used again), and TooLarge, SessionLost or
        DeadlinePassed (it may not).
        """
        if self._is_limited is None:
            try:
                self._is_limited = self._limits_itself(deadline)
            except (SqlFailure, SessionLost) as dead:
                raise NotBegun(dead) from None
        return pgflight.put(
            self._pgconn, questions, deadline, resetting, meanwhile, is_limited=self._is_limited
        )

    def _limits_itself(self, deadline: Deadline) -> bool:
        """Ask whether what it begins with, and goes back to, bounds what is alike for every question."""
        told = Fetched()
        self._exchange(
            lambda: self._pgconn.send_query_params(_OWN_LIMITS, None),
            deadline,
            keep=lambda result: told.rows.extend(pgvalues.rows(result)),
        )
        if len(told.rows) < len(("idle", "lock")):
            return False
        ((idle,), (lock,)) = told.rows
        return 0 < int(idle) <= _IDLE_MILLISECONDS and 0 < int(lock) <= pgflight.LOCK_MILLISECONDS

    def declare(
        self, cursor: str, statement: Statement, arguments: Mapping[str, Any], deadline: Deadline
    ) -> None:
        """Declare a cursor for a question; the server refuses whatever is not one reading statement."""
        values = pgvalues.parameters(statement.names, arguments)
        text = pgflight.declaration(cursor, statement)
        self._exchange(lambda: self._pgconn.send_query_params(text, values), deadline)

    def fetch(self, cursor: str, rows: int, most_bytes: int, deadline: Deadline) -> Fetched:
        """Read at most `rows` rows; raise TooLarge when more than `most_bytes` arrive."""
        fetched = Fetched()

        def send() -> None:
            self._pgconn.send_query_params(f"FETCH FORWARD {int(rows)} FROM {cursor}".encode(), None)
            self._pgconn.set_single_row_mode()

        def keep(result: pq.abc.PGresult) -> None:
            fetched.columns = fetched.columns or pgvalues.columns(result)
            fetched.types = fetched.types or pgvalues.types(result)
            fetched.rows += pgvalues.rows(result)

        if not self._exchange(send, deadline, keep=keep, allowance=Allowance(most_bytes)):
            raise TooLarge(fetched)
        return fetched

    @property
    def version(self) -> int:
        """The server's version as PostgreSQL counts it: 150018."""
        return self._pgconn.server_version

    def attempt(self, text: str, deadline: Deadline) -> None:
        """Try one statement of the proof's own, in a writing transaction that the next exchange rolls back.

        Raises SqlFailure with the server's refusal. Never for a tool's question: it reads and writes.
        """
        milliseconds = max(1, int(deadline.left() * 950))
        probe = (
            "ROLLBACK;BEGIN TRANSACTION READ WRITE;"
            f"SET LOCAL statement_timeout={milliseconds};SET LOCAL lock_timeout={min(milliseconds, 500)};"
        )
        self._exchange(lambda: self._pgconn.send_query((probe + text).encode()), deadline)

    def finish(self, deadline: Deadline) -> None:
        """Roll back, and forget all that the session could remember."""
        for text in (b"ROLLBACK", b"DISCARD ALL"):
            self._exchange(partial(self._pgconn.send_query_params, text, None), deadline)
        if self._pgconn.transaction_status != pq.TransactionStatus.IDLE:
            raise SessionLost("a transaction stayed open")

    def abandon(self) -> None:
        """Cancel what the server still does for this session, then close it; never raises."""
        if self._pgconn.status == pq.ConnStatus.OK and (
            self._pgconn.transaction_status == pq.TransactionStatus.ACTIVE
        ):
            # Where the server is gone or deaf, closing is all that is left.
            with contextlib.suppress(psycopg.Error, OSError):
                self._connection.cancel_safe(timeout=1.0)
        self.close()

    def close(self) -> None:
        """Close the connection; never raises."""
        self._connection.close()

    def _exchange(
        self,
        send: Callable[[], None],
        deadline: Deadline,
        *,
        keep: Callable[[pq.abc.PGresult], None] | None = None,
        allowance: Allowance | None = None,
    ) -> bool:
        """Send and read every result; return False as soon as the allowance is spent.

        Raises SqlFailure, SessionLost and DeadlinePassed.
        """
        allowance = allowance or Allowance()
        failure: SqlFailure | None = None
        try:
            send()
            pgwire.flush(self._pgconn, deadline)
            while pgwire.arrive(self._pgconn, deadline, allowance):
                result = self._pgconn.get_result()
                if result is None:
                    break
                failure = failure or pgwire.failure(result)
                if keep and failure is None and result.nfields:
                    keep(result)
            else:
                return False
        except psycopg.OperationalError as error:
            raise failure or SessionLost(type(error).__name__) from None
        if failure is not None:
            raise failure
        return True
