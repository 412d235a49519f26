"""A limit on request bodies that holds while they are read: more than that is never kept."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


def limit_bodies(app: App, *, prefix: str, limit: int) -> App:
    """Wrap an ASGI application: below `prefix` it sees at most `limit` + 1 bytes of a body.

    Django would keep the whole body, on disk where it is large, before a view could refuse it. The one
    byte over tells the view. A body that declares itself too large is not handed on at all.
    """

    async def limited(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(prefix):
            receive = _Cut(receive, limit, declared=_declared(scope)).receive
        await app(scope, receive, send)

    return limited


class _Cut:
    """The stream of a request's messages, ended after the limit; what follows is read and forgotten."""

    def __init__(self, receive: Receive, limit: int, *, declared: int) -> None:
        self._receive = receive
        self._room = limit + 1
        self._is_over = declared > limit
        self._has_ended = False

    async def receive(self) -> Message:
        """Return the next message, as ASGI has it."""
        if self._has_ended:
            return await self._drained()
        if self._is_over:
            self._has_ended = True
            return {"type": "http.request", "body": b"", "more_body": False}
        message = await self._receive()
        if message["type"] != "http.request":
            return message
        body = message.get("body", b"")[: self._room]
        self._room -= len(body)
        self._has_ended = self._room <= 0 or not message.get("more_body", False)
        return {"type": "http.request", "body": body, "more_body": not self._has_ended}

    async def _drained(self) -> Message:
        """Pass over the rest of the body: after its end an application waits for the disconnect only."""
        while True:
            message = await self._receive()
            if message["type"] != "http.request":
                return message


def _declared(scope: MutableMapping[str, Any]) -> int:
    for name, value in scope["headers"]:
        if name.lower() == b"content-length":
            try:
                return int(value)
            except ValueError:
                return 0
    return 0
