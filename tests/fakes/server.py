"""A local HTTP server on a real socket that answers by a function, and can be told to fail."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    raw_path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: Any

    def one(self, name: str, otherwise: str = "") -> str:
        """Return one value of the query."""
        return self.query.get(name, [otherwise])[0]


@dataclass(frozen=True)
class Reply:
    """One response. `raw` replaces everything that would be sent."""

    status: int = 200
    body: Any = None
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)

    def bytes(self) -> bytes:
        content = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        lines = [
            f"HTTP/1.1 {self.status} X",
            f"Content-Type: {self.kind}",
            f"Content-Length: {len(content)}",
            *(f"{name}: {value}" for name, value in self.headers.items()),
        ]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


Answer = Callable[[Asked], Reply]
Fault = Callable[[socket.socket, Asked], None]


class FakeServer:
    """Answers on 127.0.0.1 until it is closed; `asked` holds every request. Set `fault` to make it fail."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.fault: Fault | None = None
        self.asked: list[Asked] = []
        self.most_open = 0
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._over = threading.Event()
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def close(self) -> None:
        self._over.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._accepting.join(5)
        for thread in self._threads:
            thread.join(5)

    def settle(self, seconds: float = 5) -> None:
        """Wait until every connection that the other side closed is closed here too."""
        end = time.monotonic() + seconds
        while self._open and time.monotonic() < end:
            time.sleep(0.01)
        self._threads = [thread for thread in self._threads if thread.is_alive()]

    def sleep(self, seconds: float) -> None:
        """Sleep, but not longer than the server lives."""
        self._over.wait(seconds)

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.add(connection)
            self.most_open = max(self.most_open, len(self._open))
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, contextlib.suppress(OSError):
                stream = connection.makefile("rb")
                with stream:
                    while asked := _read(stream):
                        self.asked.append(asked)
                        if self.fault is not None:
                            self.fault(connection, asked)
                            return
                        connection.sendall(self.answer(asked).bytes())
        finally:
            self._open.discard(connection)


def _read(stream: Any) -> Asked | None:
    first = stream.readline(65_536).decode("latin-1").split()
    if len(first) != 3:
        return None
    headers: dict[str, str] = {}
    while (line := stream.readline(65_536).decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    content = _content(stream, headers)
    parts = urlsplit(first[1])
    return Asked(
        first[0],
        unquote(parts.path),
        parts.path,
        parse_qs(parts.query, keep_blank_values=True),
        headers,
        json.loads(content) if content else None,
    )


def _content(stream: Any, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding") != "chunked":
        length = int(headers.get("content-length", "0"))
        found: bytes = stream.read(length)
        if len(found) < length:
            raise ConnectionError("whoever asked went away in the middle: that is no question")
        return found
    chunks = b""
    while size := int(stream.readline().split(b";")[0], 16):
        chunks += stream.read(size)
        stream.readline()
    stream.readline()
    return chunks


@contextlib.contextmanager
def serving(answer: Answer) -> Iterator[FakeServer]:
    """Run a fake server."""
    server = FakeServer(answer)
    try:
        yield server
    finally:
        server.close()
