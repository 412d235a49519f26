"""Traces by Tempo's HTTP API."""

import base64
import binascii
from dataclasses import dataclass
from typing import Literal

from toolbox import remote
from toolbox.connectors import spans
from toolbox.connectors.base import Outcome
from toolbox.connectors.httpconnector import Call, HttpConnector
from toolbox.connectors.httpjson import AnswerMalformed, Part, inert
from toolbox.connectors.spans import Span
from toolbox.remote import Given, RemoteQuestion
from toolbox.yamlfile import Place

KEYS = frozenset({"trace", "window", "version", "key"})
Version = Literal["v1", "v2"]
_COMPLETE, _PARTIAL = ("COMPLETE", 0), ("PARTIAL", 1)
_ERRORS = (2, "STATUS_CODE_ERROR")


@dataclass(frozen=True, slots=True)
class TempoQuestion:
    """The argument that holds the trace's id, and the version of the API that is asked."""

    trace: str
    version: Version


def load(place: Place, given: Given) -> RemoteQuestion:
    """Read `trace`, `window` and `version`; raise DefinitionError."""
    trace = place.at("trace").text()
    remote.required(place.at("trace"), trace, given)
    window = remote.window(place.at("window"), given) if place.at("window").data is not None else None
    version: Version = remote.choice(place.at("version"), ("v1", "v2"), "v2")
    remote.all_used(place, frozenset({trace}) | (window.names if window else frozenset()), given)
    return RemoteQuestion(TempoQuestion(trace, version), "one", remote.key(place, "trace"), window)


class TempoConnector(HttpConnector):
    """One Tempo, asked for one tenant where the connector names one."""

    kind = "tempo"

    def answer(self, call: Call) -> Outcome:
        """Ask for the trace; where it is not there, ask whether any other is."""
        plan: TempoQuestion = call.question.plan
        wanted = spans.trace_id(plan.trace, call.arguments.get(plan.trace))
        window = call.window() if call.question.window else None
        edges = {} if window is None else {
            "start": str(int(window[0].timestamp())), "end": str(int(window[1].timestamp()) + 1),
        }  # fmt: skip
        base = "/api/v2/traces/" if plan.version == "v2" else "/api/traces/"
        reply = self.get(call, base + wanted, edges, absent=True)
        found: list[Span] = []
        doubts: list[str] = []
        if reply.status == 200:
            found, doubts = _read(reply.part, plan.version)
        if found:
            return spans.found(call, wanted, found, doubts)
        if doubts or window is None:
            return spans.missing(call, wanted, window, holds=False if doubts else None)
        others = self.get(call, "/api/search", {"q": "{}", "limit": "1", **edges}).part
        return spans.missing(call, wanted, window, holds=bool(others.at("traces").items()))


def _read(answer: Part, version: Version) -> tuple[list[Span], list[str]]:
    doubts = []
    if version == "v2":
        doubts = _doubts(answer)
        if doubts and not answer.has("trace"):
            return [], doubts
        answer = answer.at("trace")
    key = "resourceSpans" if answer.has("resourceSpans") else "batches"
    return [span for batch in answer.at(key).items() for span in _of_batch(batch)], doubts


def _doubts(answer: Part) -> list[str]:
    if not answer.has("status") or answer.at("status").value in _COMPLETE:
        return []
    if answer.at("status").value not in _PARTIAL:
        raise AnswerMalformed("status is neither COMPLETE nor PARTIAL")
    said = answer.at("message").text() if answer.has("message") else "no reason given"
    return [f"the server says that the trace is partial: {inert(said)}"]


def _of_batch(batch: Part) -> list[Span]:
    service = _service(batch)
    key = "scopeSpans" if batch.has("scopeSpans") else "instrumentationLibrarySpans"
    return [_span(part, service) for scope in batch.at(key).items() for part in scope.at("spans").items()]


def _service(batch: Part) -> str:
    if batch.has("resource") and batch.at("resource").has("attributes"):
        for attribute in batch.at("resource").at("attributes").items():
            if attribute.at("key").value == "service.name":
                return attribute.at("value").at("stringValue").text()
    return "unknown"


def _span(part: Part, service: str) -> Span:
    status = part.at("status") if part.has("status") else Part({})
    begins, ends = part.at("startTimeUnixNano").integer(), part.at("endTimeUnixNano").integer()
    return Span(
        trace=_hex(part.at("traceId"), 16),
        id=_hex(part.at("spanId"), 8),
        parent=_hex(part.at("parentSpanId"), 8) if part.has("parentSpanId") else "",
        service=service,
        name=part.at("name").text(),
        begins=begins,
        ends=ends,
        error=status.has("code") and status.at("code").value in _ERRORS,
        message=status.at("message").text() if status.has("message") else "",
    )


def _hex(part: Part, size: int) -> str:
    """Return an id as hex digits. OTLP writes them so; Tempo's older JSON writes the bytes as base64."""
    text = part.text()
    if not text:
        return ""
    if len(text) == 2 * size and all(char in "0123456789abcdefABCDEF" for char in text):
        return text.lower()
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise AnswerMalformed(f"{part.place} is no id") from None
    if len(raw) > size:
        raise AnswerMalformed(f"{part.place} is no id")
    return "" if not any(raw) else raw.hex().rjust(2 * size, "0")
