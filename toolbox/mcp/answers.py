"""A call's result as MCP gives it: structured, with its entry, and the same as text. Pure."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import mcp_types as types

from assay_core.canonical import canonical
from assay_core.instants import as_text
from assay_core.results import Status
from toolbox import redaction, schemas
from toolbox.called import Called
from toolbox.definitions import ToolDefinition
from toolbox.redaction import READERS_CUT, copy_for_readers

# An answer as one of the SDK's models, or as it is sent.
Told = types.CallToolResult | dict[str, Any]
ANSWERED = frozenset({Status.OBSERVED, Status.EMPTY, Status.TRUNCATED})
_MOST_BYTES = 262_144
_RECORDED = {"assay/data": "recorded"}
_NO_ENTRY = '{"entry":0,'
# As its escapes, with the spaces beside it.
_BYTES_A_CHARACTER = 13
_as_json = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
# Characters that control, hide, reorder or smuggle text mean nothing good to a model or a terminal.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_ABOVE: Mapping[str, Any] = {
    "entry": {"type": "integer", "description": "The call's number in the audit log; cite it as [entry N]."},
    "status": {
        "enum": [status.value for status in Status],
        "description": "observed, empty and truncated carry an answer; empty is proven to be one.",
    },
    "reason": {"type": "string", "description": "Why there is no answer, or not all of it."},
    "hidden": {
        "type": "string",
        "description": "What this copy lacks of the record: secrets masked, long parts cut. Usually empty.",
    },
    "called_at": {"type": "string", "format": "date-time"},
    "covered": {"type": ["object", "null"], "description": "The window and place that the answer covers."},
}


def output_schema(definition: ToolDefinition) -> dict[str, Any]:
    """Return the schema of a data tool's structured content: its own output below `result`."""
    masked = {"type": "object", "description": "The same with fields masked."}
    others = [{"type": "null"}, *([masked] if definition.redact else [])]
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [*_ABOVE, "result"],
        "properties": {
            **_ABOVE,
            "result": {"anyOf": [_moved(definition.output, "#/properties/result/anyOf/0"), *others]},
        },
    }


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer to a call but for its entry's number, which nobody knows before the entry is written."""

    structured: Mapping[str, Any]
    text: str
    is_error: bool

    def wire(self, entry: int) -> dict[str, Any]:
        """Return the answer with its entry, as it is sent: the SDK holds that to its schema as well."""
        text = f'{{"entry":{entry},{self.text.removeprefix(_NO_ENTRY)}'
        return {
            "content": [{"type": "text", "text": text}],
            "structuredContent": {**self.structured, "entry": entry},
            "isError": self.is_error,
            "resultType": "complete",
            "_meta": _RECORDED,
        }


def of_call(called: Called, definition: ToolDefinition) -> types.CallToolResult:
    """Return the answer to a call, with its result as readers are shown it.

    A status that carries no answer is a tool error, which an agent reads.
    """
    return types.CallToolResult.model_validate(drafted(called, definition).wire(called.entry))


def drafted(called: Called, definition: ToolDefinition) -> Draft:
    """Return what `of_call` does, for a call whose entry is being written."""
    result = called.result if called.status in ANSWERED else None
    copied = called.copied if result is called.result else None
    if copied is None:
        copied = copy_for_readers(result, hints=definition.redact, cut=READERS_CUT)
    structured = {
        "entry": 0,
        "status": called.status.value,
        "reason": called.reason,
        "hidden": copied.note,
        "called_at": as_text(called.called_at),
        "covered": copy_for_readers(called.covered).value,
        "result": copied.value,
    }
    text = _as_json(structured)
    # Nothing to be shown otherwise stands in a text without escapes and without such characters.
    shown = structured if "\\" not in text and not _UNSEEN.search(text) else presentable(structured)
    # The gateway has held what was observed to the schema already; only a changed copy is looked at again.
    is_known = called.status is Status.OBSERVED and shown["result"] == result
    if not is_known and _is_otherwise(shown, definition):
        shown["result"] = None
        # Of nothing found, nothing is kept back: only its form has no place for nothing.
        if called.status is not Status.EMPTY:
            shown["hidden"] = "the result, which is not as the tool declares it"
    elif shown is structured and len(text) * _BYTES_A_CHARACTER <= _MOST_BYTES:
        return Draft(shown, text, called.status not in ANSWERED)
    if len(json.dumps(shown)) > _MOST_BYTES:
        shown |= {"result": None, "hidden": "the result, which is too long; its entry holds it"}
    return Draft(shown, _as_json(shown), called.status not in ANSWERED)


def of_own(value: Mapping[str, Any]) -> types.CallToolResult:
    """Return what one of the own tools answered, secrets masked."""
    shown = presentable(copy_for_readers(dict(value)).value)
    return _result(shown, _as_json(shown), is_error=False)


def refusal(sentence: str) -> types.CallToolResult:
    """Return a tool error: the agent reads the sentence and can do better."""
    text = types.TextContent(type="text", text=presentable(redaction.text(sentence)))
    return types.CallToolResult(content=[text], is_error=True)


def presentable(value: Any) -> Any:
    """Return a copy in which characters that nobody can see are shown as U+FFFD."""
    if isinstance(value, str):
        return _UNSEEN.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {presentable(str(key)): presentable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [presentable(item) for item in value]
    return value


def _result(structured: dict[str, Any], text: str, *, is_error: bool) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=structured,
        is_error=is_error,
        _meta=_RECORDED,
    )


def _is_otherwise(structured: Mapping[str, Any], definition: ToolDefinition) -> bool:
    """Where fields are masked by name, a number may have become a text: that is declared too."""
    result = structured["result"]
    if result is None or (definition.redact and isinstance(result, dict)):
        return False
    return bool(schemas.complaint(result, definition.output))


def _moved(schema: Any, place: str) -> Any:
    """Return a schema whose references still lead where they led, now that it stands at `place`."""
    return json.loads(_moved_text(canonical(schema), place))


@lru_cache(maxsize=512)
def _moved_text(schema: str, place: str) -> str:
    return json.dumps(_with_moved_references(json.loads(schema), place))


def _with_moved_references(part: Any, place: str) -> Any:
    if isinstance(part, dict):
        return {
            key: place + value.removeprefix("#")
            if key in ("$ref", "$dynamicRef") and isinstance(value, str) and value.startswith("#/")
            else _with_moved_references(value, place)
            for key, value in part.items()
            if key != "$schema"
        }
    if isinstance(part, list):
        return [_with_moved_references(item, place) for item in part]
    return part
