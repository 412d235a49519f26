"""Fakes of the two trace stores: Tempo's HTTP API (v1 and v2) and the JSON API of Jaeger's query service."""

import base64
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.server import Asked, Reply

BEGIN = 1_796_038_200  # 2026-11-30T11:30:00Z


@dataclass
class FakeSpan:
    """One span: seconds after BEGIN, milliseconds long."""

    id: str
    parent: str = ""
    service: str = "shop"
    name: str = "GET /pay"
    after: float = 0.0
    millis: int = 20
    error: bool = False


@dataclass
class FakeTempo:
    """Traces by 32 hex digits. `answers_for` makes it answer with another trace than asked."""

    traces: dict[str, list[FakeSpan]] = field(default_factory=dict)
    partial: str = ""
    ids_as_base64: bool = True
    answers_for: str = ""
    tenant: str = ""

    def __call__(self, asked: Asked) -> Reply:
        if self.tenant and asked.headers.get("x-scope-orgid") != self.tenant:
            return Reply(401, b"no org id", "text/plain")
        if asked.path == "/api/search":
            start, end = int(asked.one("start")), int(asked.one("end"))
            some = self.traces and start <= BEGIN <= end
            found = [{"traceID": next(iter(self.traces)).lstrip("0")}] if some else []
            return Reply(body={"traces": found, "metrics": {"inspectedTraces": len(found)}})
        version, _, trace = asked.path.removeprefix("/api/").rpartition("/")
        trace = self.answers_for or trace
        spans = self.traces.get(trace)
        if spans is None:
            return Reply(404, b"trace not found", "text/plain")
        batches = [self._batch(trace, span) for span in spans]
        if version == "traces":
            return Reply(body={"batches": batches})
        status = {"status": "PARTIAL", "message": self.partial} if self.partial else {"status": "COMPLETE"}
        return Reply(body={"trace": {"resourceSpans": batches}, **status})

    def _batch(self, trace: str, span: FakeSpan) -> dict[str, Any]:
        begin = int((BEGIN + span.after) * 10**9)
        plain: dict[str, Any] = {
            "traceId": self._id(trace),
            "spanId": self._id(span.id),
            "name": span.name,
            "startTimeUnixNano": str(begin),
            "endTimeUnixNano": str(begin + span.millis * 10**6),
            "status": {"code": "STATUS_CODE_ERROR", "message": "declined"} if span.error else {},
        }
        if span.parent:
            plain["parentSpanId"] = self._id(span.parent)
        service = {"key": "service.name", "value": {"stringValue": span.service}}
        return {"resource": {"attributes": [service]}, "scopeSpans": [{"scope": {}, "spans": [plain]}]}

    def _id(self, digits: str) -> str:
        return base64.b64encode(bytes.fromhex(digits)).decode() if self.ids_as_base64 else digits


@dataclass
class FakeJaeger:
    """Traces by 32 hex digits, given back without their leading zeros as old Jaegers do."""

    traces: dict[str, list[FakeSpan]] = field(default_factory=dict)
    answers_for: str = ""
    warnings: list[str] = field(default_factory=list)

    def __call__(self, asked: Asked) -> Reply:
        if asked.path == "/api/traces":
            start, end = int(asked.one("start")), int(asked.one("end"))
            names = [
                name
                for name, spans in self.traces.items()
                if start <= BEGIN * 10**6 <= end
                and any(span.service == asked.one("service") for span in spans)
            ]
            return self._reply([self._trace(name) for name in names[: int(asked.one("limit"))]])
        trace = self.answers_for or asked.path.rpartition("/")[2]
        if trace not in self.traces:
            errors = [{"code": 404, "msg": "trace not found"}]
            return Reply(404, {"data": None, "total": 0, "limit": 0, "offset": 0, "errors": errors})
        return self._reply([self._trace(trace)])

    def _reply(self, data: list[dict[str, Any]]) -> Reply:
        return Reply(body={"data": data, "total": 0, "limit": 0, "offset": 0, "errors": None})

    def _trace(self, name: str) -> dict[str, Any]:
        short = name.lstrip("0")
        spans = self.traces[name]
        return {
            "traceID": short,
            "spans": [self._span(short, span) for span in spans],
            "processes": {span.service: {"serviceName": span.service, "tags": []} for span in spans},
            "warnings": self.warnings or None,
        }

    def _span(self, trace: str, span: FakeSpan) -> dict[str, Any]:
        return {
            "traceID": trace,
            "spanID": span.id,
            "operationName": span.name,
            "references": [{"refType": "CHILD_OF", "traceID": trace, "spanID": span.parent}]
            if span.parent
            else [],
            "startTime": int((BEGIN + span.after) * 10**6),
            "duration": span.millis * 1000,
            "tags": [{"key": "error", "type": "bool", "value": True}] if span.error else [],
            "logs": [],
            "processID": span.service,
            "warnings": None,
        }
