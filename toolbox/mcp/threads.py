"""Where blocking work of MCP calls runs: bounded threads, a bounded queue, a deadline for each."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from django.conf import settings
from django.db import close_old_connections

T = TypeVar("T")


class Busy(Exception):
    """So many calls wait already that another one would only wait in vain."""


class TooSlow(Exception):
    """The deadline passed. The work goes on in its thread to its end, and so does its entry."""


class Threads:
    """The threads of one server. No request of Django's is around them: each call looks after connections."""

    def __init__(self, count: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="mcp")
        self._room = count + waiting
        self._inside = 0

    @classmethod
    def configured(cls) -> "Threads":
        """As MCP_THREADS says."""
        return cls(settings.MCP_THREADS, settings.MCP_THREADS * 8)

    async def run(self, work: Callable[[], T], *, seconds: float) -> T:
        """Return what the work returns. Raises Busy, TooSlow, and what the work raises."""
        if self._inside >= self._room:
            raise Busy
        context = contextvars.copy_context()
        self._inside += 1
        future = asyncio.get_running_loop().run_in_executor(
            self._pool, lambda: context.run(_with_fresh_connections, work)
        )
        future.add_done_callback(self._left)
        # Waiting cancels nothing: what has begun goes on to its end, and so does its entry.
        try:
            await asyncio.wait((future,), timeout=seconds)
        except asyncio.CancelledError:
            future.add_done_callback(_swallow)
            raise
        if not future.done():
            future.add_done_callback(_swallow)
            raise TooSlow
        return future.result()

    def close(self) -> None:
        """Start nothing more; what runs goes on to its end."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _left(self, _: object) -> None:
        self._inside -= 1


def _swallow(future: "asyncio.Future[Any]") -> None:
    """Fetch an exception that nobody waits for any more, so that it is not reported as forgotten."""
    if not future.cancelled():
        future.exception()


def _with_fresh_connections(work: Callable[[], T]) -> T:
    """MCP calls fire no request_finished: without this a connection that broke once stays broken for ever."""
    try:
        return work()
    finally:
        close_old_connections()
