"""Example values by JSON Schema: what a first question to a tool, and its answer, may look like."""

from collections.abc import Mapping
from typing import Any

_PLAIN: Mapping[str, Any] = {"integer": 1, "number": 1.5, "boolean": True, "null": None, "string": "text"}


def example_of(schema: Mapping[str, Any], *, moment: str, name: str = "") -> Any:
    """Return a value that the schema describes; a time is `moment`, a text names its own field."""
    kind = schema.get("type")
    first = next((one for one in kind if one != "null"), "null") if isinstance(kind, list) else kind
    match first:
        case _ if schema.get("enum"):
            return schema["enum"][0]
        case "object":
            properties = schema.get("properties", {})
            return {key: example_of(part, moment=moment, name=key) for key, part in properties.items()}
        case "array":
            return [example_of(schema.get("items", {}), moment=moment, name=name)]
        case "string" if schema.get("format") == "date-time":
            return moment
        case "string" if name:
            return f"{name}-1"
    return _PLAIN.get(str(first))


def example_question(schema: Mapping[str, Any], *, moment: str) -> dict[str, Any]:
    """Return arguments for the required properties of a tool's input."""
    properties = schema.get("properties", {})
    return {
        name: example_of(properties.get(name, {}), moment=moment, name=name)
        for name in schema.get("required", [])
    }
