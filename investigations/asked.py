"""What is sent to a model server: the body of one chat completion, built from messages and quirks. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from investigations.marking import inert
from investigations.quirks import Quirks, Structured
from investigations.talk import Message, Role, ToolCall, ToolOffer
from toolbox import redaction

_UNREADABLE_SHOWN = 2_000
# Under these words of JSON Schema stand schemas by names of the author's choice, and plain values.
_BY_NAME = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs"})
_VALUES = frozenset({"const", "enum", "default", "examples"})


@dataclass(frozen=True, slots=True)
class Wish:
    """How a completion is asked for, besides what is said."""

    model: str
    tokens: int
    temperature: float
    tools: Sequence[ToolOffer] = ()
    schema: Mapping[str, Any] | None = None
    stream: bool = False


def body(wish: Wish, said: Sequence[Mapping[str, Any]], quirks: Quirks) -> dict[str, Any]:
    """Return the request's body for messages as `message` returns them."""
    whole: dict[str, Any] = {
        "model": wish.model,
        "messages": list(said),
        "temperature": wish.temperature,
        quirks.tokens_name: wish.tokens,
        **quirks.extra,
    }
    if wish.tools:
        whole["tools"] = [offered(each) for each in wish.tools]
    if wish.schema is not None and (not wish.tools or quirks.schema_beside_tools):
        _ask_for_shape(whole, wish.schema, quirks)
    if wish.stream:
        whole["stream"] = True
        if quirks.stream_usage:
            whole["stream_options"] = {"include_usage": True}
    return {name: value for name, value in whole.items() if name not in quirks.omits}


def _ask_for_shape(whole: dict[str, Any], schema: Mapping[str, Any], quirks: Quirks) -> None:
    borne = _without(schema, quirks.shape_omits)
    if quirks.structured is Structured.JSON_SCHEMA:
        named = {"name": "answer", "schema": borne, "strict": quirks.strict}
        whole["response_format"] = {"type": "json_schema", "json_schema": named}
    elif quirks.structured is Structured.JSON_OBJECT_SCHEMA:
        whole["response_format"] = {"type": "json_object", "schema": borne}
    else:
        words = (
            "Answer with one JSON object that fits this JSON Schema, and with nothing before or after it:\n"
            f"{json.dumps(schema, ensure_ascii=False)}"
        )
        whole["messages"] = [*whole["messages"], {"role": "user", "content": words}]


def _without(schema: Any, words: frozenset[str]) -> Any:
    """Return a schema without these words, at any depth; a property of such a name stays."""
    if isinstance(schema, list):
        return [_without(each, words) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {word: _part(word, value, words) for word, value in schema.items() if word not in words}


def _part(word: str, value: Any, words: frozenset[str]) -> Any:
    if word in _VALUES:
        return value
    if word in _BY_NAME and isinstance(value, Mapping):
        return {name: _without(each, words) for name, each in value.items()}
    return _without(value, words)


def offered(tool: ToolOffer) -> dict[str, Any]:
    """Return a tool as the server is told of it."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.input)}
    return {"type": "function", "function": function}


def message(said: Message, quirks: Quirks) -> dict[str, Any]:
    """Return one turn as it is sent: its secrets masked, its text valid Unicode.

    What a model said may repeat what it read, and a server's template would take a turn's mark in that for
    its own: so nothing in it poses as one when it is told again.
    """
    text = _sendable(said.text)
    if said.role is Role.TOOL:
        return {"role": "tool", "tool_call_id": inert(said.answers), "content": text}
    if said.role is Role.ASSISTANT:
        text = inert(text)
    if not said.calls:
        return {"role": said.role.value, "content": text}
    content = None if quirks.null_content and not text else text
    return {"role": said.role.value, "content": content, "tool_calls": [_call(each) for each in said.calls]}


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": inert(call.name), "arguments": inert(_readable(call.arguments))}
    return {"id": inert(call.id), "type": "function", "function": function}


def _readable(arguments: str) -> str:
    """Return arguments that a server's template can read: some parse what is said again, and answer 400."""
    text = _sendable(arguments)
    try:
        if isinstance(json.loads(text), dict):
            return text
    except (ValueError, RecursionError):
        pass
    return json.dumps({"unreadable": text[:_UNREADABLE_SHOWN]} if text.strip() else {})


def _sendable(text: str) -> str:
    return redaction.text(text.encode("utf-8", "replace").decode("utf-8"))
