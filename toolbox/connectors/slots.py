"""How many connections one connector of one process may have at once, where none is kept."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from toolbox.deadline import Deadline


class SlotsBusy(Exception):
    """Every connection was in use until the call's time was over."""


class Slots:
    """At most `size` at once. A child process has its own."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._pid = os.getpid()
        self._free = threading.BoundedSemaphore(size)

    @contextmanager
    def one(self, deadline: Deadline) -> Iterator[None]:
        """Hold one of them; raise SlotsBusy or DeadlinePassed."""
        if self._pid != os.getpid():
            self._pid, self._free = os.getpid(), threading.BoundedSemaphore(self._size)
        free = self._free
        if not free.acquire(timeout=deadline.left()):
            raise SlotsBusy(f"all {self._size} connections are in use")
        try:
            yield
        finally:
            free.release()
