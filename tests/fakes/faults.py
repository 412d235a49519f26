"""The ways in which a server on a socket fails, each as a function for `FakeServer.fault`."""

import json
import socket
from typing import Any

from tests.fakes.server import Answer, Asked, Fault, Reply

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
TOO_LONG = 10 * 1024 * 1024


def silent(connection: socket.socket, asked: Asked) -> None:
    """Never answer."""
    connection.settimeout(20)
    connection.recv(1)


def dripping_head(connection: socket.socket, asked: Asked) -> None:
    """Send one byte of a header at a time: each wait is short, all together they never end."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    _drip(connection)


def dripping_body(connection: socket.socket, asked: Asked) -> None:
    """Send one byte of a body at a time."""
    connection.sendall(HEAD + b"Content-Length: 1000000\r\n\r\n{")
    _drip(connection)


def _drip(connection: socket.socket) -> None:
    connection.settimeout(0.05)
    for _ in range(400):
        connection.sendall(b" ")
        try:
            if connection.recv(1) == b"":
                return
        except TimeoutError:
            continue


def half(connection: socket.socket, asked: Asked) -> None:
    """Promise a thousand bytes, send twenty and go."""
    connection.sendall(HEAD + b'Content-Length: 1000\r\n\r\n{"status": "success"')


def hanging_up(connection: socket.socket, asked: Asked) -> None:
    """Close without a word."""


def resetting(connection: socket.socket, asked: Asked) -> None:
    """Reset the connection."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")


def no_http(connection: socket.socket, asked: Asked) -> None:
    """Speak another protocol."""
    connection.sendall(b"-ERR unknown command\r\n\r\n")


def too_long(connection: socket.socket, asked: Asked) -> None:
    """Announce and send ten megabytes."""
    connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % TOO_LONG)
    _flood(connection, b"a" * 65_536, b"")


def too_long_in_chunks(connection: socket.socket, asked: Asked) -> None:
    """Send ten megabytes that nobody announced."""
    connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    _flood(connection, b"10000\r\n" + b"a" * 65_536 + b"\r\n", b"0\r\n\r\n")


def _flood(connection: socket.socket, piece: bytes, last: bytes) -> None:
    for _ in range(TOO_LONG // 65_536):
        connection.sendall(piece)
    connection.sendall(last)


def says(status: int, body: bytes, kind: str = "application/json", **headers: str) -> Fault:
    """Answer every request like this; in a header's name, _ stands for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    def fault(connection: socket.socket, asked: Asked) -> None:
        connection.sendall(Reply(status, body, kind, named).bytes())

    return fault


def raw(rest: bytes) -> Fault:
    """Answer every request with this behind the head's first lines."""

    def fault(connection: socket.socket, asked: Asked) -> None:
        connection.sendall(HEAD + rest)

    return fault


def twice(answer: Answer, this: bytes, other: bytes) -> Fault:
    """Answer, and send a second answer behind it in which `this` is `other`. Then wait for the other side."""

    def fault(connection: socket.socket, asked: Asked) -> None:
        reply = answer(asked)
        changed = json.dumps(reply.body).encode().replace(this, other)
        connection.sendall(reply.bytes() + Reply(reply.status, changed).bytes())
        connection.settimeout(5)
        connection.recv(1)

    return fault


def half_characters(answer: Answer) -> Answer:
    """Answer with half of a character behind every text that is no other server's word for something."""

    def broken(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: broken(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [broken(item, key) for item in value]
        return f"{value}\ud800" if isinstance(value, str) and key in _OTHERS_WORDS else value

    def answered(asked: Asked) -> Reply:
        reply = answer(asked)
        return Reply(reply.status, broken(reply.body), reply.kind, reply.headers)

    return answered


_OTHERS_WORDS = frozenset(
    {"service", "app", "serviceName", "stringValue", "operationName", "phase", "message", "state", "login"}
)
