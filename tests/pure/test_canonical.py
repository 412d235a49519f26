"""Canonical JSON: one text for one value, and nothing that has two texts or none."""

import json
import math
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_core.canonical import NotCanonical, canonical, digest

TEXT = st.text(st.characters(codec="utf-8"), max_size=6)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        "\ud800",
        b"x",
        {1, 2},
        object(),
        10**5000,
        range(3),
        MappingProxyType({}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_canonical_form_is_refused_with_its_path(value: Any) -> None:
    with pytest.raises(NotCanonical, match=r"\$\.rows\[1\]\.x"):
        canonical({"rows": [0, {"x": value}]})


@pytest.mark.parametrize("key", [1, None, True, ("a",), "\udfff"])
def test_keys_are_text(key: Any) -> None:
    with pytest.raises(NotCanonical):
        canonical({key: 1})


def test_values_of_different_types_have_different_texts() -> None:
    values = [1, 1.0, True, "1", [1], {"1": 1}, 0, 0.0, -0.0, False, None, "", [], {}, "null"]
    assert len({canonical(value) for value in values}) == len(values)


def test_the_text_is_sorted_tight_and_ascii() -> None:
    assert (
        canonical({"b": [1, "é"], "a": {"d": None, "c": True}})
        == '{"a":{"c":true,"d":null},"b":[1,"\\u00e9"]}'
    )


def test_the_digest_is_that_of_the_text() -> None:
    assert digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


@given(JSON)
def test_reading_the_text_back_gives_the_value_and_the_same_text(value: Any) -> None:
    text = canonical(value)
    assert json.loads(text) == value
    assert canonical(json.loads(text)) == text
    assert text.isascii()


@given(st.dictionaries(TEXT, SCALARS, max_size=5))
def test_the_order_of_keys_does_not_matter(value: dict[str, Any]) -> None:
    assert canonical(OrderedDict(reversed(value.items()))) == canonical(value)
