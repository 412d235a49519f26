"""The server of a script: it takes one reply for each completion asked for, and keeps what was asked."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.server import Asked, FakeServer, Fault, Reply
from tests.scripted.replies import Scripted, status

_PIECE = 7  # characters of a text in one event of a stream


@dataclass(frozen=True)
class Request:
    """One completion that was asked for."""

    body: Mapping[str, Any]
    headers: Mapping[str, str]
    path: str
    number: int  # from 0
    at: float = field(default_factory=time.monotonic)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """What was said to the model."""
        return list(self.body.get("messages", ()))

    @property
    def tools(self) -> list[str]:
        """The names of the tools on offer."""
        return [each["function"]["name"] for each in self.body.get("tools") or ()]

    @property
    def last(self) -> str:
        """The text of the last message."""
        return str(self.messages[-1].get("content") or "") if self.messages else ""

    @property
    def text(self) -> str:
        """Everything that was sent, as one text to look for something in."""
        return json.dumps(self.body, ensure_ascii=False)


Script = Sequence[Scripted] | Callable[[Request], Scripted]


class Endpoint:
    """A running endpoint. `requests` grows with each completion; `overrun` counts those beyond the script."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[Request] = []
        self.overrun = 0
        self._lock = threading.Lock()
        self._server = FakeServer(lambda _: Reply())
        self._server.fault = self._serve
        self.url = f"{self._server.url}/v1"

    def close(self) -> None:
        """Stop; open connections are cut."""
        self._server.close()

    def answer_with(self, fault: Fault) -> None:
        """Answer by a function that is given the socket, in place of the script."""
        self._server.fault = fault

    def sleep(self, seconds: float) -> None:
        """Sleep, but not longer than the server lives."""
        self._server.sleep(seconds)

    @property
    def variables(self) -> dict[str, str]:
        """The environment in which a process speaks to it."""
        return {"LLM_BASE_URL": self.url, "MODEL_ID": "scripted-1", "LLM_BACKOFF_MS": "10"}

    def _serve(self, connection: socket.socket, asked: Asked) -> None:
        if asked.path.endswith("/models"):
            listed = {"object": "list", "data": [{"id": "scripted-1", "object": "model"}]}
            connection.sendall(Reply(body=listed, headers={"Connection": "close"}).bytes())
            return
        with self._lock:
            request = Request(asked.body or {}, asked.headers, asked.path, len(self.requests))
            self.requests.append(request)
            reply = self._next(request)
        self._server.sleep(reply.seconds)
        if reply.raw is not None:
            connection.sendall(reply.raw)
            return
        self._send(connection, reply, request)

    def _next(self, request: Request) -> Scripted:
        if callable(self.script):
            return self.script(request)
        if request.number < len(self.script):
            return self.script[request.number]
        self.overrun += 1
        return status(400, body={"error": {"message": "the script is over"}})

    def _send(self, connection: socket.socket, reply: Scripted, request: Request) -> None:
        is_stream = bool(request.body.get("stream")) and reply.body is None and reply.status == 200
        content = _events(reply, request.body) if is_stream else _completion(reply)
        kind = "text/event-stream" if is_stream else "application/json"
        # A stream tells no length: its end is the connection's.
        length = [] if is_stream else [f"Content-Length: {len(content)}"]
        head = [f"HTTP/1.1 {reply.status} Scripted", f"Content-Type: {kind}", *length, "Connection: close"]
        head += [f"{name}: {value}" for name, value in reply.headers.items()]
        connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n")
        sent = content if reply.drop_after is None else content[: reply.drop_after]
        if not reply.between:
            connection.sendall(sent)
            return
        for place in range(len(sent)):
            if reply.until is not None and place == len(sent) // 2:
                reply.until.wait(60)
            self._server.sleep(reply.between)
            connection.sendall(sent[place : place + 1])


def _completion(reply: Scripted) -> bytes:
    if reply.body is not None:
        return reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
    choice = {"index": 0, "message": reply.message, "finish_reason": reply.finish}
    body = json.dumps({**_head(reply, "chat.completion"), "choices": [choice], "usage": reply.usage}).encode()
    middle = len(body) // 2
    return body[:middle] + reply.garbage + body[middle:] if reply.garbage else body


def _head(reply: Scripted, kind: str) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": kind,
        "created": 1,
        "model": reply.model,
        "system_fingerprint": reply.fingerprint,
    }


def _events(reply: Scripted, asked: Mapping[str, Any]) -> bytes:
    head = _head(reply, "chat.completion.chunk")
    parts: list[dict[str, Any] | None] = [*_deltas(reply.message), None]
    events = [
        {**head, "choices": [_choice({} if part is None else part, reply.finish if part is None else None)]}
        for part in parts
    ]
    if (asked.get("stream_options") or {}).get("include_usage") and reply.usage is not None:
        events.append({**head, "choices": [], "usage": reply.usage})
    lines = [b"data: " + json.dumps(event).encode() + b"\n\n" for event in events]
    if reply.garbage:
        lines.insert(len(lines) // 2, reply.garbage)
    return b"".join(lines) + b"data: [DONE]\n\n"


def _choice(delta: Mapping[str, Any], finish: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _deltas(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a message in the small parts in which a server streams it; parallel calls come interleaved."""
    yield {"role": "assistant", "content": ""}
    for name in ("reasoning_content", "content", "refusal"):
        text = message.get(name)
        if not isinstance(text, str):
            continue
        for place in range(0, len(text), _PIECE):
            yield {name: text[place : place + _PIECE]}
    made = list(message.get("tool_calls") or ())
    for index, call in enumerate(made):
        function = {"name": call["function"].get("name"), "arguments": ""}
        yield {"tool_calls": [{"index": index, **call, "function": function}]}
    longest = max((len(call["function"].get("arguments") or "") for call in made), default=0)
    for place in range(0, longest, _PIECE):
        for index, call in enumerate(made):
            piece = (call["function"].get("arguments") or "")[place : place + _PIECE]
            if piece:
                yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


@contextlib.contextmanager
def endpoint(script: Script) -> Iterator[Endpoint]:
    """Run a scripted endpoint: a list gives each request its reply in turn, a function sees the request."""
    server = Endpoint(script)
    try:
        yield server
    finally:
        server.close()
