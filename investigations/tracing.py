"""Spans of a run, its chats and its tool calls, with the names of OpenTelemetry's GenAI conventions.

Without an OTLP address in the settings each of these does nothing, and nothing of OpenTelemetry is imported.
What was said is not in a span unless the deployment asks for it, and then in the form that transcripts have.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings

from investigations.talk import Finish, Message, Reply, Role, ToolCall
from toolbox import redaction

if TYPE_CHECKING:
    from opentelemetry import trace

# The format of what is spoken, whoever hosts the model: the conventions ask for that, not for the vendor.
_PROVIDER = "openai"
_FINISH = {Finish.CUT_OFF: "length", Finish.REFUSED: "content_filter", Finish.UNKNOWN: "error"}
_PORTS = {"http": 80, "https": 443}
_tool: ContextVar[tuple[str, "Span"] | None] = ContextVar("tool", default=None)


class Span:
    """One span that may not be there: each method then does nothing."""

    def __init__(self, span: "trace.Span | None" = None) -> None:
        self._span = span

    def note(self, **attributes: str | int | float | bool) -> None:
        """Add attributes of ours; a name's `__` stands for its `.`."""
        if self._span is not None:
            for name, value in attributes.items():
                self._span.set_attribute(name.replace("__", "."), value)

    def asked(self, messages: Sequence[Message]) -> None:
        """Add what the model was told, where the deployment wants content in its spans."""
        if self._span is None or not settings.TRACES_HOLD_CONTENT:
            return
        system = [_part(each.text) for each in messages if each.role is Role.SYSTEM]
        others = [_message(each) for each in messages if each.role is not Role.SYSTEM]
        if system:
            self._span.set_attribute("gen_ai.system_instructions", json.dumps(system))
        self._span.set_attribute("gen_ai.input.messages", json.dumps(others))

    def replied(self, reply: Reply) -> None:
        """Add what a reply says of itself: model, why it ended, tokens, money."""
        if self._span is None:
            return
        finish = _FINISH.get(reply.finish, reply.finish.value)
        self._span.set_attribute("gen_ai.response.finish_reasons", [finish])
        if reply.model:
            self._span.set_attribute("gen_ai.response.model", reply.model)
        if reply.fingerprint:
            self._span.set_attribute("openai.response.system_fingerprint", reply.fingerprint)
        self._span.set_attribute("gen_ai.usage.input_tokens", reply.spent.tokens_in)
        self._span.set_attribute("gen_ai.usage.output_tokens", reply.spent.tokens_out)
        self._span.set_attribute("assay.cost_micros", reply.spent.micros)
        if reply.exchange:
            self._span.set_attribute("assay.exchange", reply.exchange)
        if settings.TRACES_HOLD_CONTENT:
            said = Message(Role.ASSISTANT, reply.text, calls=reply.calls)
            whole = {**_message(said), "finish_reason": finish}
            self._span.set_attribute("gen_ai.output.messages", json.dumps([whole]))

    @property
    def holds_content(self) -> bool:
        """Whether what was said belongs in it."""
        return self._span is not None and bool(settings.TRACES_HOLD_CONTENT)

    def answered(self, arguments: Mapping[str, Any], result: Any) -> None:
        """Add a tool's arguments and the answer as readers see it, where content is wanted."""
        if self._span is None or not settings.TRACES_HOLD_CONTENT:
            return
        for name, value in (("arguments", dict(arguments)), ("result", result)):
            told = redaction.text(json.dumps(value, default=str))
            self._span.set_attribute(f"gen_ai.tool.call.{name}", told)

    def ended(self, outcome: str, *, is_error: bool = False) -> None:
        """Say in one word how it ended; an error makes the span one, with the word as its type."""
        if self._span is None:
            return
        self._span.set_attribute("assay.outcome", outcome)
        if is_error:
            _mark_failed(self._span, outcome)


def trace_of(investigation: int) -> str:
    """Return the id of the trace that an investigation's attempts have, in hex, wherever it is looked at."""
    return sha256(f"assay/{_conversation(investigation)}".encode()).hexdigest()[:32]


@contextmanager
def span_of_run(investigation: int, *, incident: int | None = None, by: str = "model") -> Iterator[Span]:
    """Open the span of one attempt at an investigation; `by` is the investigator's kind."""
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": _PROVIDER,
        "gen_ai.agent.name": by,
        "gen_ai.conversation.id": _conversation(investigation),
    }
    if incident is not None:
        attributes["assay.incident"] = str(incident)
    with _span(f"invoke_agent {by}", attributes, trace=trace_of(investigation)) as span:
        yield span


@contextmanager
def span_of_chat(
    endpoint: str, model: str, *, address: str = "", investigation: int | None = None, tokens: int = 0
) -> Iterator[Span]:
    """Open the span of one exchange; `address` is the endpoint's base URL, `tokens` the longest answer."""
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _PROVIDER,
        "gen_ai.request.model": model,
        "assay.endpoint": endpoint,
    }
    where = urlsplit(address)
    if where.hostname:
        attributes["server.address"] = where.hostname
        attributes["server.port"] = where.port or _PORTS.get(where.scheme, 443)
    if tokens:
        attributes["gen_ai.request.max_tokens"] = tokens
    if investigation is not None:
        attributes["gen_ai.conversation.id"] = _conversation(investigation)
    with _span(f"chat {model}", attributes, is_client=True) as span:
        yield span


@contextmanager
def span_of_tool(name: str, *, call: str = "") -> Iterator[Span]:
    """Open the span of one tool call; `call` is the id that the model gave it.

    Whoever carries the call out opens it too, for runs that no model makes: inside, it is the same span.
    """
    outer = _tool.get()
    if outer is not None and outer[0] == name:
        yield outer[1]
        return
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.type": "function",
    }
    if call:
        attributes["gen_ai.tool.call.id"] = call
    with _span(f"execute_tool {name}", attributes) as span:
        before = _tool.set((name, span))
        try:
            yield span
        finally:
            _tool.reset(before)


def close() -> None:
    """Send what is left, as a process does that ends; a receiver that does not answer is not waited for."""
    if settings.TRACES_ARE_SENT:
        from investigations import otlp

        otlp.close()


@contextmanager
def _span(
    name: str, attributes: Mapping[str, Any], *, is_client: bool = False, trace: str = ""
) -> Iterator[Span]:
    if not settings.TRACES_ARE_SENT:
        yield Span()
        return
    from investigations import otlp

    with otlp.started(name, attributes, is_client=is_client, trace=trace) as span:
        try:
            yield Span(span)
        except BaseException as error:
            # The class alone: its words may quote what was asked or answered.
            _mark_failed(span, type(error).__name__)
            raise


def _mark_failed(span: "trace.Span", kind: str) -> None:
    from opentelemetry.trace import StatusCode

    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR)


def _conversation(investigation: int) -> str:
    return f"investigation-{investigation}"


def _part(text: str) -> dict[str, Any]:
    return {"type": "text", "content": redaction.text(text)}


def _message(message: Message) -> dict[str, Any]:
    if message.role is Role.TOOL:
        told = redaction.text(message.text)
        parts = [{"type": "tool_call_response", "id": message.answers, "response": told}]
    else:
        parts = [_part(message.text)] if message.text else []
        parts += [_call(each) for each in message.calls]
    return {"role": message.role.value, "parts": parts}


def _call(call: ToolCall) -> dict[str, Any]:
    told = redaction.text(call.arguments)
    return {"type": "tool_call", "id": call.id, "name": call.name, "arguments": told}
