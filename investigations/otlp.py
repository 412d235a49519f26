"""The tracer that sends spans over OTLP. Imported only where an address for them is set.

It is ours alone and not the process's: what libraries trace of themselves is not sent. Everything else
(headers, time-out, sampling, the service's name) is read by OpenTelemetry from its own variables.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind

_SERVICE = "assay"


@contextmanager
def started(name: str, attributes: Mapping[str, Any], *, is_client: bool) -> Iterator[Span]:
    """Open a span below the current one. An exception that passes through is not written into it."""
    tracer = provider().get_tracer("assay")
    with tracer.start_as_current_span(
        name,
        kind=SpanKind.CLIENT if is_client else SpanKind.INTERNAL,
        attributes=dict(attributes),
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        yield span


@cache
def provider() -> TracerProvider:
    """Return this process's provider. Spans are sent by a thread of its own: nobody waits for one."""
    resource = Resource.create({SERVICE_NAME: _SERVICE}).merge(OTELResourceDetector().detect())
    made = TracerProvider(resource=resource)
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return made
