"""A quick yes means what the whole validator means; a no means nothing."""

import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolbox import plainly, schemas

THINGS: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["things"],
    "properties": {
        "things": {
            "type": "array",
            "maxItems": 2,
            "items": {
                "type": "object",
                "required": ["id"],
                "properties": {
                    "id": {"type": "integer", "minimum": 1, "maximum": 9},
                    "name": {"type": ["string", "null"], "minLength": 1, "maxLength": 3, "pattern": "^a"},
                    "state": {"enum": ["up", "down", None]},
                    "at": {"type": "string", "format": "date-time"},
                    "share": {"type": "number"},
                },
            },
        }
    },
}
_ITEM: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.sampled_from(["id", "name", "state", "at", "share", "more"]),
    st.sampled_from(
        [1, 0, 10, 1.0, True, None, "", "a", "abcd", "b", "up", "sideways", "2026-01-01T00:00:00Z", [], {}]
    ),
)
_VALUES = st.one_of(
    st.none(),
    st.dictionaries(st.sampled_from(["things", "others"]), st.lists(_ITEM, max_size=3) | st.integers()),
)


def is_quick(value: Any, schema: dict[str, Any]) -> bool:
    return plainly.check_of(schema, schemas._is_instant)(value)


@given(_VALUES)
@settings(max_examples=1_000 if os.environ.get("FULL") == "1" else 20)
def test_a_quick_yes_is_the_validators_yes(value: Any) -> None:
    whole, _ = schemas._validator(THINGS)
    assert whole.is_valid(value) or not is_quick(value, THINGS)


def test_what_is_plainly_right_gets_a_quick_yes() -> None:
    row = {"id": 3, "name": "abc", "state": "up", "at": "2026-01-01T00:00:00Z", "share": 0.5, "more": None}
    assert is_quick({"things": [row, {"id": 1, "name": None}]}, THINGS)
    assert not schemas.complaint({"things": [row]}, THINGS)


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"type": "string"}]}, {"$ref": "#/$defs/x", "$defs": {"x": {}}}, {"const": 1},
        {"type": "text"}, {"pattern": "("}, {"properties": {"a": {"not": {}}}}, {"prefixItems": [{}]},
        {"additionalProperties": False}, {"properties": {}, "patternProperties": {"a": False}},
    ],
)  # fmt: skip
def test_what_is_not_known_gets_none(schema: dict[str, Any]) -> None:
    assert not is_quick("a", schema)
    assert not is_quick({"a": 1}, schema)


def test_a_boolean_is_no_integer_here_as_there() -> None:
    assert not is_quick(True, {"type": "integer"})
    assert Draft202012Validator({"type": "integer"}).is_valid(1)
    assert is_quick(1, {"type": "integer"})
