"""A loopback proxy that adds a token to each request and changes nothing else: the suite can't send one."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_DROPPED = ("connection:", "authorization:")


@contextmanager
def adding_token(port: int, token: str, *, at: int) -> Iterator[None]:
    """Forward from one port of this machine to another until the context ends."""

    class Forward(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)) as inner:
                head, rest = _head(self.request)
                inner.sendall(_with_token(head, token) + rest)
                onward = threading.Thread(target=_pipe, args=(self.request, inner))
                onward.start()
                _pipe(inner, self.request)
                onward.join()

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True

    with Server(("127.0.0.1", at), Forward) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


def _head(client: socket.socket) -> tuple[str, bytes]:
    received = b""
    while b"\r\n\r\n" not in received:
        data = client.recv(65_536)
        if not data:
            raise ConnectionError("the request broke off")
        received += data
    head, _, rest = received.partition(b"\r\n\r\n")
    return head.decode("latin-1"), rest


def _with_token(head: str, token: str) -> bytes:
    lines = [line for line in head.split("\r\n") if not line.lower().startswith(_DROPPED)]
    lines += [f"Authorization: Bearer {token}", "Connection: close"]  # one request a connection
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _pipe(source: socket.socket, target: socket.socket) -> None:
    """Copy until the source ends, then say so to both: the other direction ends with it."""
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    for side in (source, target):
        with suppress(OSError):
            side.shutdown(socket.SHUT_RDWR)
