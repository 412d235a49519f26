"""A few connections of one connector, shared by the threads of one process.

Connecting happens in the thread that asks: its deadline holds, and the reason of a failure is known at once.
"""

import os
import threading
import time
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from toolbox.deadline import Deadline

_IDLE_SECONDS = 120
_AGE_SECONDS = 1800


class PoolBusy(Exception):
    """Every connection was in use until the call's time was over."""


class Pooled(Protocol):
    """What the pool asks of a session."""

    opened: float
    used: float

    def is_usable(self) -> bool:
        """Whether nothing speaks against using it again; costs no round trip."""
        ...

    def close(self) -> None:
        """Close it; never raises."""
        ...


S = TypeVar("S", bound=Pooled)


class Pool(Generic[S]):
    """At most `size` sessions at once. Sessions of a parent process are never touched by its child."""

    def __init__(self, connect: Callable[[Deadline], S], size: int) -> None:
        self._connect = connect
        self._size = size
        self._inherited: list[S] = []
        self._renew()

    def _renew(self) -> None:
        self._pid = os.getpid()
        self._idle: list[S] = []
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(self._size)

    def _after_fork(self) -> None:
        if self._pid != os.getpid():
            self._inherited += self._idle
            self._renew()

    def take(self, deadline: Deadline, *, fresh: bool = False) -> S:
        """Return a session that looks usable, or a new one; raise PoolBusy or whatever connecting raises."""
        self._after_fork()
        if not self._slots.acquire(timeout=deadline.left()):
            raise PoolBusy(f"all {self._size} connections are in use")
        try:
            session = None if fresh else self._usable()
            return session or self._connect(deadline)
        except BaseException:
            self._slots.release()
            raise

    def _usable(self) -> S | None:
        while True:
            with self._lock:
                session = self._idle.pop() if self._idle else None
            if session is None:
                return None
            now = time.monotonic()
            if (
                now - session.used < _IDLE_SECONDS
                and now - session.opened < _AGE_SECONDS
                and session.is_usable()
            ):
                return session
            session.close()

    def give_back(self, session: S) -> None:
        """Keep a session that was reset for the next caller."""
        session.used = time.monotonic()
        with self._lock:
            self._idle.append(session)
        self._slots.release()

    def discard(self, session: S) -> None:
        """Close a session that nobody may use again."""
        session.close()
        self._slots.release()

    def close(self) -> None:
        """Close every idle session."""
        self._after_fork()
        with self._lock:
            idle, self._idle = self._idle, []
        for session in idle:
            session.close()
