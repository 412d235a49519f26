"""Traces by the JSON API of Jaeger's query service."""

from dataclasses import dataclass
from datetime import datetime

from assay_core.results import Status
from toolbox import remote
from toolbox.connectors import spans
from toolbox.connectors.base import Outcome
from toolbox.connectors.httpconnector import Call, HttpConnector
from toolbox.connectors.httpjson import Part, inert, words
from toolbox.connectors.httpstatus import Failure
from toolbox.connectors.spans import Span
from toolbox.remote import Given, RemoteQuestion
from toolbox.yamlfile import Place

KEYS = frozenset({"trace", "window", "control", "key"})


@dataclass(frozen=True, slots=True)
class JaegerQuestion:
    """The argument that holds the trace's id, and the service whose traces prove that any are kept."""

    trace: str
    service: str


def load(place: Place, given: Given) -> RemoteQuestion:
    """Read `trace`, and `window` with `control: {service: NAME}`; raise DefinitionError."""
    trace = place.at("trace").text()
    remote.required(place.at("trace"), trace, given)
    window = remote.window(place.at("window"), given) if place.at("window").data is not None else None
    service = ""
    if place.at("control").data is not None:
        place.at("control").mapping(frozenset({"service"}), frozenset({"service"}))
        service = place.at("control").at("service").text()
    if (window is None) != (not service):
        raise place.error(
            "a control needs a window, and a window a control",
            "Give both `window:` and `control:`, or neither.",
        )
    remote.all_used(place, frozenset({trace}) | (window.names if window else frozenset()), given)
    return RemoteQuestion(JaegerQuestion(trace, service), "one", remote.key(place, "trace"), window)


class JaegerConnector(HttpConnector):
    """One Jaeger."""

    kind = "jaeger"

    def answer(self, call: Call) -> Outcome:
        """Ask for the trace; where it is not there, ask whether any other is."""
        plan: JaegerQuestion = call.question.plan
        wanted = spans.trace_id(plan.trace, call.arguments.get(plan.trace))
        window = call.window() if call.question.window else None
        reply = self.get(call, f"/api/traces/{wanted}", absent=True)
        traces = _traces(reply.part) if reply.status == 200 else []
        if len(traces) > 1:
            raise Failure(Status.ERROR, "more than one trace came back for one id")
        found = [span for trace in traces for span in _of_trace(trace)]
        if found:
            return spans.found(call, wanted, found, _doubts(traces[0]))
        if window is None:
            return spans.missing(call, wanted, None, holds=None)
        return spans.missing(call, wanted, window, holds=self._holds_any(call, plan.service, window))

    def _holds_any(self, call: Call, service: str, window: tuple[datetime, datetime]) -> bool:
        asked = {
            "service": service,
            "start": str(int(window[0].timestamp() * 1_000_000)),
            "end": str(int(window[1].timestamp() * 1_000_000)),
            "limit": "1",
        }
        return bool(_traces(self.get(call, "/api/traces", asked).part))


def _traces(answer: Part) -> list[Part]:
    """Return the traces of an answer; raise Failure where it is an error in a 200."""
    if answer.has("errors") and (errors := answer.at("errors").items()):
        if all(error.has("code") and error.at("code").value == 404 for error in errors):
            return []
        raise Failure(Status.ERROR, f"the server reports an error: {inert(words(errors))}")
    return answer.at("data").items()


def _doubts(trace: Part) -> list[str]:
    if trace.has("warnings") and (found := trace.at("warnings").items()):
        return [f"the server warns: {words(found)}"]
    return []


def _of_trace(trace: Part) -> list[Span]:
    services = {
        key: trace.at("processes").at(key).at("serviceName").text() for key in trace.at("processes").object()
    }
    return [_span(part, services) for part in trace.at("spans").items()]


def _span(part: Part, services: dict[str, str]) -> Span:
    begins = part.at("startTime").integer()
    tags = {tag.at("key").text(): tag.at("value").value for tag in part.at("tags").items()}
    parents = [
        reference.at("spanID").text()
        for reference in part.at("references").items()
        if reference.at("refType").value == "CHILD_OF"
        and _padded(reference.at("traceID")) == _padded(part.at("traceID"))
    ]
    message = tags.get("otel.status_description", "")
    return Span(
        trace=_padded(part.at("traceID")),
        id=part.at("spanID").text(),
        parent=parents[0] if parents else "",
        service=services.get(part.at("processID").text(), "unknown"),
        name=part.at("operationName").text(),
        begins=begins * 1000,
        ends=(begins + part.at("duration").integer()) * 1000,
        error=tags.get("error") in (True, "true") or tags.get("otel.status_code") == "ERROR",
        message=message if isinstance(message, str) else "",
    )


def _padded(part: Part) -> str:
    return part.text().lower().rjust(32, "0")
