"""One session of a reader role and the only way that a question is put through it.

DECLARE CURSOR over the extended protocol is the gate: the server itself accepts one statement there,
and only one that reads. No declared text goes by the simple protocol; every transaction is rolled back.
"""

import contextlib
import fcntl
import math
import select
import struct
import termios
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import conninfo, pq

from toolbox.connectors import pgvalues
from toolbox.connectors.credential import Proof
from toolbox.connectors.fetched import Fetched, TooLarge
from toolbox.connectors.pgfailures import CannotConnect, SessionLost, SqlFailure, why_not_connected
from toolbox.deadline import Deadline
from toolbox.definitions import Statement

_OPTIONS = "-c DateStyle=ISO,YMD -c TimeZone=UTC -c IntervalStyle=iso_8601 -c bytea_output=hex"
_FINE = (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK, pq.ExecStatus.SINGLE_TUPLE)


@dataclass(slots=True)
class _Allowance:
    """The bytes that may still arrive."""

    left: float = math.inf

    def spend(self, arrived: int) -> bool:
        self.left -= arrived
        return self.left >= 0


class ReadSession:
    """A connection that only ever reads. Any exception but SqlFailure means: discard it."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._pgconn = connection.pgconn
        self.opened = self.used = time.monotonic()
        self.proof: Proof | None = None

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
        # A little before the deadline, so that the server ends the question itself and the session lives on.
        milliseconds = max(1, int(deadline.left() * 950))
        text = (
            "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;"
            f"SET LOCAL statement_timeout={milliseconds};SET LOCAL lock_timeout={min(milliseconds, 500)};"
            f"SET LOCAL idle_in_transaction_session_timeout={milliseconds + 5000}"
            + (";SET LOCAL search_path=''" if qualified else "")
        )
        self._exchange(lambda: self._pgconn.send_query(text.encode()), deadline)

    def declare(
        self, cursor: str, statement: Statement, arguments: Mapping[str, Any], deadline: Deadline
    ) -> None:
        """Declare a cursor for a question; the server refuses whatever is not one reading statement."""
        values = pgvalues.parameters(statement.names, arguments)
        text = f"DECLARE {cursor} NO SCROLL CURSOR WITHOUT HOLD FOR {statement.text}".encode()
        self._exchange(lambda: self._pgconn.send_query_params(text, values), deadline)

    def fetch(self, cursor: str, rows: int, most_bytes: int, deadline: Deadline) -> Fetched:
        """Read at most `rows` rows; raise TooLarge when more than `most_bytes` arrive."""
        fetched = Fetched()

        def send() -> None:
            self._pgconn.send_query_params(f"FETCH FORWARD {int(rows)} FROM {cursor}".encode(), None)
            self._pgconn.set_single_row_mode()

        def keep(result: pq.abc.PGresult) -> None:
            fetched.columns = fetched.columns or pgvalues.columns(result)
            fetched.rows += pgvalues.rows(result)

        if not self._exchange(send, deadline, keep=keep, allowance=_Allowance(most_bytes)):
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
            self._exchange(lambda text=text: self._pgconn.send_query_params(text, None), deadline)  # type: ignore[misc]
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
        allowance: _Allowance | None = None,
    ) -> bool:
        """Send and read every result; return False as soon as the allowance is spent.

        Raises SqlFailure, SessionLost and DeadlinePassed.
        """
        allowance = allowance or _Allowance()
        failure: SqlFailure | None = None
        try:
            send()
            self._flush(deadline)
            while self._arrive(deadline, allowance):
                result = self._pgconn.get_result()
                if result is None:
                    break
                failure = failure or self._failure(result)
                if keep and failure is None and result.ntuples:
                    keep(result)
            else:
                return False
        except psycopg.OperationalError as error:
            raise failure or SessionLost(type(error).__name__) from None
        if failure is not None:
            raise failure
        return True

    def _flush(self, deadline: Deadline) -> None:
        while self._pgconn.flush():
            readable, _, _ = select.select([self._pgconn.socket], [self._pgconn.socket], [], deadline.left())
            if readable:
                self._pgconn.consume_input()

    def _arrive(self, deadline: Deadline, allowance: _Allowance) -> bool:
        """Read until a result is whole; return False as soon as more has arrived than the allowance."""
        while self._pgconn.is_busy():
            if select.select([self._pgconn.socket], [], [], deadline.left())[0]:
                if not allowance.spend(_waiting_bytes(self._pgconn.socket)):
                    return False
                self._pgconn.consume_input()
        return True

    @staticmethod
    def _failure(result: pq.abc.PGresult) -> SqlFailure | None:
        if result.status in _FINE:
            return None
        if result.status != pq.ExecStatus.FATAL_ERROR:
            raise SessionLost(f"an answer of the kind {result.status}")
        state = result.error_field(pq.DiagnosticField.SQLSTATE) or b""
        message = result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b""
        return SqlFailure(state.decode("ascii", "replace"), message.decode("utf-8", "replace"))


def _waiting_bytes(descriptor: int) -> int:
    answer = fcntl.ioctl(descriptor, termios.FIONREAD, struct.pack("i", 0))
    return int(struct.unpack("i", answer)[0])
