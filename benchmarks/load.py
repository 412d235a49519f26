"""A small HTTP/1.1 client that posts one body again and again, light enough not to be what is measured."""

import asyncio
import time
from dataclasses import dataclass


class NotAccepted(Exception):
    """An answer had another status than the one that counts."""


@dataclass(frozen=True, slots=True)
class Post:
    """What is posted, and the status that counts as accepted."""

    port: int
    path: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    accepted: int = 202

    def head(self) -> bytes:
        """Return the request up to its body."""
        lines = [f"POST {self.path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(self.body)}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        return "\r\n".join([*lines, "", ""]).encode("ascii")


def rate(post: Post, *, connections: int, seconds: float) -> float:
    """Return how many a second were accepted over that many kept connections.

    Raises NotAccepted at the first other answer.
    """
    return asyncio.run(_rate(post, connections, seconds))


async def _rate(post: Post, connections: int, seconds: float) -> float:
    end = time.monotonic() + seconds
    counts = await asyncio.gather(*(_worker(post, end) for _ in range(connections)))
    return sum(counts) / seconds


async def _worker(post: Post, end: float) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", post.port)
    request, done = post.head() + post.body, 0
    try:
        while time.monotonic() < end:
            writer.write(request)
            status, body = await _answer(reader)
            if status != post.accepted:
                raise NotAccepted(f"{post.path} answered {status}: {body[:300]!r}")
            done += 1
    finally:
        writer.close()
    return done


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    status = int(head.split(" ", 2)[1])
    for line in head.split("\r\n"):
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            return status, await reader.readexactly(int(value))
    return status, await reader.readuntil(b"0\r\n\r\n")  # chunked
