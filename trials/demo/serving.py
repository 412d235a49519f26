"""A scripted model endpoint on this machine: as much of an OpenAI-compatible server as a drill needs."""

import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from trials.demo import scripts
from trials.demo.scripts import Script
from trials.golden.rows import Row

_HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Said:
    """What one endpoint says: to which rows, by which script, after how long."""

    name: str
    rows: Sequence[Row]
    script: Script
    seconds: float = 0.0


@contextmanager
def serving(said: Said, *, port: int = 0) -> Iterator[str]:
    """Serve on a port, or on any, and yield the base URL; a port that is taken is another's."""
    with ThreadingHTTPServer((_HOST, _free(port)), _handler(said)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://{_HOST}:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()


def _free(port: int) -> int:
    """Return the port where it is free, so that a rerun finds the endpoint where it was; else any."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except OSError:
            return 0
    return port


def _handler(said: Said) -> type[BaseHTTPRequestHandler]:
    by_title = {row.title: row for row in said.rows}

    class Handler(BaseHTTPRequestHandler):
        """Answers completions by the row whose title stands in what was said."""

        def do_GET(self) -> None:
            """List the one model."""
            self._send(200, {"object": "list", "data": [{"id": said.name, "object": "model"}]})

        def do_POST(self) -> None:
            """Answer one completion."""
            asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            row = _row(asked, by_title)
            if row is None:
                self._send(400, {"error": {"message": "no row of the golden set stands in this"}})
                return
            time.sleep(said.seconds)
            self._send(200, _completion(said, row))

        def _send(self, status: int, value: Mapping[str, Any]) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing for each request."""

    return Handler


def _row(asked: Mapping[str, Any], by_title: Mapping[str, Row]) -> Row | None:
    text = next((each["content"] for each in asked["messages"] if each["role"] == "user"), "")
    found = [title for title in by_title if title in text]
    return by_title[max(found, key=len)] if found else None


def _completion(said: Said, row: Row) -> Mapping[str, Any]:
    message = scripts.answer(row, said.script)
    tokens = {
        "prompt_tokens": 400 + len(row.body) // 4,
        "completion_tokens": len(message["content"]) // 4 + 1,
    }
    return {
        "id": "chatcmpl-demo",
        "object": "chat.completion",
        "created": 1,
        "model": said.name,
        "system_fingerprint": f"fp_{said.name}",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {**tokens, "total_tokens": sum(tokens.values())},
    }
