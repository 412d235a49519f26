"""Whether spans are sent, as OpenTelemetry's own variables say."""

from django.core.exceptions import ImproperlyConfigured

from triage import env


def are_sent(*, langfuse: bool = False) -> bool:
    """Return whether a receiver is named, Langfuse among them, and sending is not switched off.

    Raises ImproperlyConfigured for a protocol that spans do not go by.
    """
    is_named = env.text("OTEL_EXPORTER_OTLP_ENDPOINT") or env.text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    protocol = env.text("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
    is_off = env.flag("OTEL_SDK_DISABLED", False)
    if not (is_named or langfuse) or is_off:
        return False
    if protocol != "http/protobuf":
        raise ImproperlyConfigured(
            f"OTEL_EXPORTER_OTLP_PROTOCOL={protocol!r}: spans go by http/protobuf only. Unset it and name "
            "the receiver's HTTP address, whose port is 4318 as a rule, in OTEL_EXPORTER_OTLP_ENDPOINT."
        )
    return True
