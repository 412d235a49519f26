"""A whole call in one round trip: begin, declare and fetch each question, roll back, forget.

libpq's pipeline changes when messages travel, not what they are: each is one statement over the extended
protocol. The questions stand before the first synchronisation, so that the server skips what follows a
refusal; ROLLBACK and DISCARD ALL stand after it, so that it never skips those.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import pq

from toolbox.connectors import pgvalues, pgwire
from toolbox.connectors.fetched import Fetched, TooLarge
from toolbox.connectors.pgfailures import SessionLost, SqlFailure
from toolbox.connectors.pgwire import Allowance
from toolbox.deadline import Deadline, DeadlinePassed
from toolbox.definitions import Statement
from toolbox.values import is_sendable

_OVERHEAD_BYTES = 16_384
LOCK_MILLISECONDS = 500


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, read through a cursor of this name: at most `rows` rows.

    All questions of a round trip share their bytes: they arrive together.
    """

    cursor: str
    statement: Statement
    arguments: Mapping[str, Any]
    rows: int
    most_bytes: int


class NotBegun(Exception):
    """The session ended before the transaction began; `cause` says how."""

    def __init__(self, cause: SqlFailure | SessionLost) -> None:
        super().__init__("the transaction did not begin")
        self.cause = cause


def opening(deadline: Deadline, *, is_limited: bool) -> list[str]:
    """Return the statements that open the read-only transaction with its limits.

    `is_limited`: the session itself bounds how long it waits for a lock, and how long it may stay idle.
    """
    # A little before the deadline, so that the server ends the question itself and the session lives on.
    milliseconds = max(1, int(deadline.left() * 950))
    others = [
        f"SET LOCAL lock_timeout={min(milliseconds, LOCK_MILLISECONDS)}",
        f"SET LOCAL idle_in_transaction_session_timeout={milliseconds + 5000}",
    ]
    return [
        "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
        f"SET LOCAL statement_timeout={milliseconds}",
        *([] if is_limited else others),
    ]


def declaration(cursor: str, statement: Statement) -> bytes:
    """Return the statement that declares a question: the server refuses whatever is not one reading query.

    Raises SqlFailure for a text that would not arrive as it stands.
    """
    if "\x00" in statement.text or not is_sendable(statement.text):
        # libpq would send what stands before the NUL: another question than the recorded one.
        raise SqlFailure("42601", "the statement holds a NUL character or a lone surrogate")
    return f"DECLARE {cursor} NO SCROLL CURSOR WITHOUT HOLD FOR {statement.text}".encode()


def put(
    pgconn: pq.abc.PGconn,
    questions: Sequence[Asked],
    deadline: Deadline,
    resetting: Deadline,
    meanwhile: Callable[[Sequence[Fetched]], None],
    *,
    is_limited: bool,
) -> list[Fetched]:
    """Put the questions and return their answers in order: see ReadSession.put."""
    allowance = Allowance(sum(one.most_bytes for one in questions) + _OVERHEAD_BYTES)
    flight = _Flight(pgconn, questions, allowance, opening(deadline, is_limited=is_limited))
    try:
        flight.send(deadline)
        flight.read(deadline)
        try:
            if flight.failure is None:
                meanwhile(flight.answers)
        finally:  # what is sent is read, whatever comes of the answers
            flight.land(resetting)
    except psycopg.OperationalError as error:
        raise flight.failed(flight.failure or SessionLost(type(error).__name__)) from None
    except SessionLost as lost:
        raise flight.failed(lost) from None
    if flight.failure is not None:
        raise flight.failure
    return flight.answers


@dataclass(slots=True)
class _Flight:
    """The messages of one round trip and what has come back of them."""

    pgconn: pq.abc.PGconn
    questions: Sequence[Asked]
    allowance: Allowance
    opening: Sequence[str]
    answers: list[Fetched] = field(default_factory=list)
    failure: SqlFailure | None = None
    has_begun: bool = False

    def failed(self, cause: SqlFailure | SessionLost) -> Exception:
        return cause if self.has_begun else NotBegun(cause)

    def send(self, deadline: Deadline) -> None:
        declared = [
            (declaration(one.cursor, one.statement), pgvalues.parameters(one.statement.names, one.arguments))
            for one in self.questions
        ]
        self.pgconn.enter_pipeline_mode()
        for text in self.opening:
            self.pgconn.send_query_params(text.encode(), None)
        for one, (declares, values) in zip(self.questions, declared, strict=True):
            self.pgconn.send_query_params(declares, values)
            self.pgconn.send_query_params(f"FETCH FORWARD {int(one.rows)} FROM {one.cursor}".encode(), None)
        self.pgconn.pipeline_sync()
        for resets in (b"ROLLBACK", b"DISCARD ALL"):
            self.pgconn.send_query_params(resets, None)
            self.pgconn.pipeline_sync()
        pgwire.flush(self.pgconn, deadline)

    def read(self, deadline: Deadline) -> None:
        """Read up to the first synchronisation."""
        for _ in self.opening:
            self._next(deadline)
        if self.failure is not None:
            raise NotBegun(self.failure)
        self.has_begun = True
        for _ in self.questions:
            self._next(deadline)
            fetched = Fetched()
            self.answers.append(fetched)
            self._next(deadline, keep=fetched)
        self._next(deadline)

    def land(self, deadline: Deadline) -> None:
        """Read that the server rolled back and forgot. A refusal says more than what is lost after it."""
        refusal, self.failure = self.failure, None
        try:
            for _ in range(4):
                self._next(deadline)
            if self.failure is None:
                self.pgconn.exit_pipeline_mode()
            if self.pgconn.transaction_status != pq.TransactionStatus.IDLE:
                raise SessionLost("the session was not reset")
        except (SessionLost, DeadlinePassed, psycopg.OperationalError):
            if refusal is None:
                raise
        self.failure = refusal

    def _next(self, deadline: Deadline, *, keep: Fetched | None = None) -> None:
        """Read one message's results; the first refusal is kept, and what is then skipped passed over."""
        is_read = keep is not None and self.failure is None
        if is_read:
            self.pgconn.set_single_row_mode()
        while True:
            if not pgwire.arrive(self.pgconn, deadline, self.allowance):
                raise TooLarge(keep or Fetched(), self.answers[:-1])
            result = self.pgconn.get_result()
            if result is None:
                return
            if result.status == pq.ExecStatus.PIPELINE_SYNC:
                return
            if result.status == pq.ExecStatus.PIPELINE_ABORTED and self.failure is not None:
                continue
            self.failure = self.failure or pgwire.failure(result)
            if keep is not None and is_read and self.failure is None and result.ntuples:
                keep.columns = keep.columns or pgvalues.columns(result)
                keep.rows += pgvalues.rows(result)
