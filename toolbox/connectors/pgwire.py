"""What passes over the wire of one PostgreSQL session: sent and read within a deadline and a size."""

import fcntl
import math
import select
import struct
import termios
from dataclasses import dataclass

from psycopg import pq

from toolbox.connectors.pgfailures import SessionLost, SqlFailure
from toolbox.deadline import Deadline

_FINE = (
    pq.ExecStatus.COMMAND_OK,
    pq.ExecStatus.TUPLES_OK,
    pq.ExecStatus.SINGLE_TUPLE,
    pq.ExecStatus.PIPELINE_SYNC,
)


# So much room libpq makes before it reads.
_TAKEN_LEAST = 8_192


@dataclass(slots=True)
class Allowance:
    """The bytes that may still arrive."""

    left: float = math.inf

    def spend(self, arrived: int) -> bool:
        """Take what arrived off it; return False once it is spent."""
        self.left -= arrived
        return self.left >= 0


def flush(pgconn: pq.abc.PGconn, deadline: Deadline) -> None:
    """Send all that is to be sent. Raises DeadlinePassed."""
    while pgconn.flush():
        readable, _, _ = select.select([pgconn.socket], [pgconn.socket], [], deadline.left())
        if readable:
            pgconn.consume_input()


def arrive(pgconn: pq.abc.PGconn, deadline: Deadline, allowance: Allowance) -> bool:
    """Read until a result is whole; return False as soon as more was read than the allowance."""
    while pgconn.is_busy():
        if select.select([pgconn.socket], [], [], deadline.left())[0]:
            waiting = _waiting_bytes(pgconn.socket)
            pgconn.consume_input()
            # libpq takes what its buffer holds, and leaves the rest to be seen, and not counted, again. What
            # came in its place meanwhile must not hide what was taken.
            taken = max(waiting - _waiting_bytes(pgconn.socket), min(waiting, _TAKEN_LEAST))
            if not allowance.spend(taken):
                return False
    return True


def failure(result: pq.abc.PGresult) -> SqlFailure | None:
    """Return the server's refusal that a result is, if it is one. Raises SessionLost for a strange one."""
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
