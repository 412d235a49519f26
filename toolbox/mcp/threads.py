"""Where blocking work of MCP calls runs: bounded threads, a bounded queue, a deadline for each."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

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
        self._queued: set[asyncio.Future[Any]] = set()

    @classmethod
    def configured(cls) -> "Threads":
        """As MCP_THREADS says."""
        return cls(settings.MCP_THREADS, settings.MCP_THREADS * 8)

    async def run(self, work: Callable[[], T], *, seconds: float) -> T:
        """Return what the work returns. Raises Busy, TooSlow, and what the work raises.

        Waiting cancels nothing: what has begun goes on to its end, and so does its entry.
        """
        return await self.start(work, seconds=seconds)

    def start(self, work: Callable[[], T], *, seconds: float) -> "asyncio.Future[T]":
        """Begin, and return what `run` waits for. Raises Busy."""
        if self._inside >= self._room:
            raise Busy
        loop = asyncio.get_running_loop()
        waited: asyncio.Future[T] = loop.create_future()
        context = contextvars.copy_context()

        def job() -> None:
            self._queued.discard(waited)
            try:
                ended = partial(_tell, waited, context.run(work))
            except BaseException as error:  # noqa: BLE001 it is raised where it is waited for
                ended = partial(_fail, waited, error)
            # One word to the loop. Two chained futures, as the library has it, wait for each other's locks.
            with suppress(RuntimeError):  # where the loop is closed by now, nobody waits
                loop.call_soon_threadsafe(self._left, ended)
            # No request of Django's ends here: without this a connection that broke once stays broken.
            close_old_connections()

        self._queued.add(waited)
        self._pool.submit(job)
        self._inside += 1
        late = loop.call_later(seconds, _fail, waited, TooSlow())
        waited.add_done_callback(lambda _: late.cancel())
        return waited

    def close(self) -> None:
        """Start nothing more; what runs goes on to its end."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for waited in tuple(self._queued):
            waited.cancel()

    def _left(self, ended: Callable[[], None]) -> None:
        self._inside -= 1
        ended()


class Early(Generic[T]):
    """What a thread tells while its work goes on. Made and awaited in the loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._told: asyncio.Future[T | None] = self._loop.create_future()

    def tell(self, value: T) -> None:
        """Tell it, from the thread."""
        with suppress(RuntimeError):  # where the loop is closed by now, nobody waits
            self._loop.call_soon_threadsafe(_tell, self._told, value)

    async def before(self, work: "asyncio.Future[Any]") -> T | None:
        """Return what was told, or None where the work came to its end without that."""
        work.add_done_callback(self._ended)
        return await self._told

    def _ended(self, work: "asyncio.Future[Any]") -> None:
        if not work.cancelled():
            work.exception()  # looked at here, since a client that has hung up asks for it no more
        _tell(self._told, None)


def _tell(waited: "asyncio.Future[T]", value: T) -> None:
    if not waited.done():
        waited.set_result(value)


def _fail(waited: "asyncio.Future[Any]", error: BaseException) -> None:
    if not waited.done():
        waited.set_exception(error)
