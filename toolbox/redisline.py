"""Redis past its client's layers, which take longer than most commands do: a connection for each thread."""

import os
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import redis
from redis.backoff import NoBackoff

PATIENCE = 0.25
Words = Sequence[Any]


class Line(threading.local):
    """A thread's own connection, kept. Commands may be told without waiting for what is answered."""

    def __init__(self) -> None:
        self._held: tuple[str, int, Any] | None = None
        self._owed = 0

    def ask(self, url: str, words: Words) -> Any:
        """Return the answer to one command. Raises redis.RedisError."""
        return self._spoken(url, [words], waits=True)

    def tell(self, url: str, *commands: Words) -> None:
        """Send commands whose answers nobody waits for: they are read before the next command is sent.

        Raises redis.RedisError, for what was told before as well. What is told just when a connection breaks
        may be lost unseen.
        """
        self._spoken(url, commands, waits=False)

    def settle(self) -> None:
        """Wait until what was told has been done. Raises redis.RedisError."""
        if self._held is not None:
            self._settled(self._held[0])

    def _spoken(self, url: str, commands: Sequence[Words], *, waits: bool) -> Any:
        was_open = self._held is not None and self._held[2].is_connected
        try:
            return self._once(url, commands, waits=waits)
        except redis.ConnectionError:
            # A connection that was kept may have been closed meanwhile.
            if not was_open:
                raise
            return self._once(url, commands, waits=waits)

    def _once(self, url: str, commands: Sequence[Words], *, waits: bool) -> Any:
        link = self._settled(url)
        try:
            link.send_packed_command([_packed(words) for words in commands])
            if waits:
                return link.read_response()
        except redis.ResponseError:
            raise
        except BaseException:
            # An answer that nobody has read would be taken for the next one's.
            self._drop(link)
            raise
        self._owed = len(commands)
        return None

    def _settled(self, url: str) -> Any:
        """Return the connection with every answer read. Raises the error of the last command that had one."""
        # What a parent process holds is never spoken through.
        if self._held is None or self._held[:2] != (url, os.getpid()):
            self._held, self._owed = (url, os.getpid(), _pool(url).make_connection()), 0
        link = self._held[2]
        refused = None
        while self._owed:
            self._owed -= 1
            try:
                link.read_response()
            except redis.ResponseError as error:
                refused = error
            except BaseException:
                self._drop(link)
                raise
        if refused is not None:
            raise refused
        return link

    def _drop(self, link: Any) -> None:
        self._owed = 0
        link.disconnect()


def _packed(words: Words) -> bytes:
    """Return a command as Redis reads it."""
    parts = [str(word).encode() for word in words]
    return b"*%d\r\n%b" % (len(parts), b"".join(b"$%d\r\n%b\r\n" % (len(part), part) for part in parts))


@lru_cache(maxsize=4)
def client(url: str) -> redis.Redis:
    """Return the client itself, for what is not asked often; it gives up as soon as a line does."""
    return redis.from_url(url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)


@lru_cache(maxsize=4)
def _pool(url: str) -> Any:
    return redis.ConnectionPool.from_url(
        url,
        socket_timeout=PATIENCE,
        socket_connect_timeout=PATIENCE,
        retry=redis.retry.Retry(NoBackoff(), 0),
    )
