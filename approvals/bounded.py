"""A bound on the time that a worker waits for a target's own code, which may have none."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from approvals.actions.base import CouldNotCheck


class _TimeUp(KeyboardInterrupt):
    """The time is over. On a KeyboardInterrupt psycopg takes back the statement that it waits for."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise CouldNotCheck when the block takes longer.

    A worker asks in its main thread, where a signal ends any wait. Elsewhere, as for a page, the bounds of
    the tools and of the database hold alone: a page calls nothing that writes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: Any) -> None:
        raise _TimeUp

    held, began = signal.signal(signal.SIGALRM, end), time.monotonic()
    left, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _TimeUp:
        raise CouldNotCheck(f"it brought no answer within {seconds:g} seconds") from None
    finally:
        signal.signal(signal.SIGALRM, held)
        if left:  # somebody else's alarm goes off when it was to, or as soon as it can
            signal.setitimer(signal.ITIMER_REAL, max(0.1, left - (time.monotonic() - began)))
