"""The tracer that sends spans over OTLP. Imported only where an address for them is set.

It is ours alone and not the process's: what libraries trace of themselves is not sent. Everything else
(headers, time-out, sampling, the service's name) is read by OpenTelemetry from its own variables.
"""

import atexit
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import Span, SpanKind

_SERVICE = "assay"
_PATIENCE_SECONDS = 2.0
_ADDRESSES = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_trace: ContextVar[str] = ContextVar("trace", default="")


@contextmanager
def started(name: str, attributes: Mapping[str, Any], *, is_client: bool, trace: str = "") -> Iterator[Span]:
    """Open a span below the current one, or of the trace that is named where there is none.

    An exception that passes through is not written into it.
    """
    tracer = sender().provider.get_tracer("assay")
    _trace.set(trace)
    with tracer.start_as_current_span(
        name,
        kind=SpanKind.CLIENT if is_client else SpanKind.INTERNAL,
        attributes=dict(attributes),
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        yield span


class _Ids(RandomIdGenerator):
    """Ids as always, but for a trace that was named: whoever knows what it is of finds it."""

    def generate_trace_id(self) -> int:
        named = _trace.get()
        return int(named, 16) if named else super().generate_trace_id()


@dataclass(frozen=True, slots=True)
class Sender:
    """What sends this process's spans: by a thread of its own, so that nobody waits for one."""

    provider: TracerProvider
    exporter: OTLPSpanExporter

    def end(self) -> None:
        """Send what is left. One that is away would be tried for half a minute: it gets two seconds."""
        ending = threading.Thread(target=self.provider.shutdown, daemon=True)
        ending.start()
        ending.join(_PATIENCE_SECONDS)
        if ending.is_alive():
            self.exporter.shutdown()  # type: ignore[no-untyped-call]  # it has no annotations
            ending.join(_PATIENCE_SECONDS)


@cache
def sender() -> Sender:
    """Return this process's sender, made for its first span."""
    resource = Resource.create({SERVICE_NAME: _SERVICE}).merge(OTELResourceDetector().detect())
    made = Sender(TracerProvider(resource=resource, shutdown_on_exit=False, id_generator=_Ids()), exporter())
    made.provider.add_span_processor(BatchSpanProcessor(made.exporter))
    atexit.register(close)
    return made


def exporter() -> OTLPSpanExporter:
    """Return what sends to the address of OpenTelemetry's variables, else to Langfuse."""
    keys = settings.LANGFUSE_KEYS
    if keys is None or any(os.environ.get(name) for name in _ADDRESSES):
        return OTLPSpanExporter()
    return OTLPSpanExporter(endpoint=keys.traces, headers=keys.headers)


def close() -> None:
    """Send what is left and end, where this process has sent anything at all."""
    if sender.cache_info().currsize:
        sender().end()
        sender.cache_clear()
