"""JSON that every reader reads alike."""

import json
from typing import Any

import pytest

from assay_core import strictjson

READER = json.JSONDecoder(
    object_pairs_hook=strictjson.without_doubles,
    parse_float=strictjson.finite,
    parse_constant=strictjson.no_number,
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 1}}', "the key 'c' stands twice"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ("[-Infinity]", "-Infinity is not a JSON number"),
        ("[1e999]", "the number 1e999 is too large"),
    ],
)
def test_what_two_readers_could_read_differently_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        READER.decode(text)


def test_what_all_read_alike_is_read() -> None:
    assert READER.decode('{"a": [1, 1.5, true, null, {"a": "x"}]}') == {"a": [1, 1.5, True, None, {"a": "x"}]}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"), (True, "true or false"), (1, "a number"), (1.5, "a number"), ("x", "a text"),
        ([], "a list"), ((), "a list"), ({}, "an object"), (b"", "a bytes"),
    ],
)  # fmt: skip
def test_each_value_is_called_what_a_person_calls_it(value: Any, kind: str) -> None:
    assert strictjson.kind_of(value) == kind
