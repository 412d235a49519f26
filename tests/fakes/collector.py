"""A receiver of OTLP over HTTP on a real socket: it keeps every span that it is sent."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Received:
    """One span as it arrived."""

    name: str
    kind: int
    trace: str
    span: str
    parent: str
    is_error: bool
    message: str
    events: int
    attributes: Mapping[str, Any]
    resource: Mapping[str, Any]


@dataclass
class Collector:
    """What arrived so far."""

    url: str
    spans: list[Received] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    raw: bytes = b""

    def one(self, name: str) -> Received:
        """Return the only span of this name."""
        (found,) = [span for span in self.spans if span.name == name]
        return found

    def add(self, body: bytes, headers: Mapping[str, str]) -> None:
        """Keep what one request holds."""
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        self.raw += body
        self.headers.append(headers)
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            resource = _plain(group.resource.attributes)
            for scope in group.scope_spans:
                self.spans.extend(_received(span, resource) for span in scope.spans)


@contextmanager
def collecting() -> Iterator[Collector]:
    """Receive on a free port until the context ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            collector.add(body, {name.lower(): value for name, value in self.headers.items()})
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Keep the test's output to the test."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector = Collector(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def _received(span: Any, resource: Mapping[str, Any]) -> Received:
    return Received(
        name=span.name,
        kind=span.kind,
        trace=span.trace_id.hex(),
        span=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        is_error=span.status.code == 2,
        message=span.status.message,
        events=len(span.events),
        attributes=_plain(span.attributes),
        resource=resource,
    )


def _plain(pairs: Any) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(each) for each in value.array_value.values]
    return getattr(value, kind)
