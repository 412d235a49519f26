"""The canonical text of RFC 8785, and what a deployment's policy may not loosen."""

import json
from typing import Any

import pytest

from approvals.actions.base import Footprint
from approvals.digesting import NotDigestible, content_of
from approvals.jcs import digest_of, digest_of_text, text_of
from approvals.policy import Policy, PolicyUnusable, reading


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"a": 1.5}, "$.a: float"),
        ([float("nan")], "float"),
        ({1: 2}, "is not text"),
        ({"a": "\ud800"}, "lone surrogate"),
        ({"a": 2**53}, "beyond 2^53"),
        ({"a": {1, 2}}, "set"),
        ({"a": b"x"}, "bytes"),
    ],
)
def test_what_has_no_one_form_has_no_digest(value: Any, said: str) -> None:
    with pytest.raises(NotDigestible) as caught:
        text_of(value)
    assert said in str(caught.value)


def test_the_text_is_that_of_rfc_8785() -> None:
    # The sorting example of the standard, by UTF-16 code units, and its escapes.
    value = {
        "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Dalet With Dagesh", "1": "One",
        "\U0001f600": "Grinning Face", "\u0080": "Control", "\u00f6": "o With Diaeresis",
    }  # fmt: skip
    keys = list(json.loads(text_of(value)))
    assert keys == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert text_of('\u20ac$\x0f\nA\'B"\\"/') == '"\u20ac$\\u000f\\nA\'B\\"\\\\\\"/"'
    assert text_of({"b": [True, None, -7], "a": {}}) == '{"a":{},"b":[true,null,-7]}'
    assert digest_of({}) == digest_of_text("{}")


@pytest.mark.parametrize("body", ["", "{", '{"a": 1}', '{"b":1,"a":1}', "[]", "{}", "null"])
def test_a_body_that_is_not_one_is_refused(body: str) -> None:
    with pytest.raises(NotDigestible):
        content_of(body)


@pytest.mark.parametrize(
    ("plain", "said"),
    [
        ({"high": {"quorum": 1}}, "at least 2 people"),
        ({"high": {"groups": 1}}, "at least 2 people"),
        ({"high": {"strong_step_up": False}}, "never for less"),
        ({"high": {"rubric_blocks": False}}, "never for less"),
        ({"low": {"quorum": 0}}, "at least 1 people"),
        ({"low": {"quorum": True}}, "whole numbers"),
        ({"probe_seconds": 301}, "from 0 to 300"),
        ({"scale_factor": 11}, "from 0 to 10"),
        ({"decide_seconds": 0}, "from 1 to"),
        ({"decide_seconds": "900"}, "whole number"),
        ({"ticket_pattern": "("}, "regular expression"),
        ({"namespaces": "shop"}, "list of texts"),
        ({"quorums": 1}, "is not known"),
    ],
)
def test_a_policy_can_only_be_stricter(plain: dict[str, Any], said: str) -> None:
    with pytest.raises(PolicyUnusable, match=said):
        reading(plain)


def test_another_policy_has_another_version() -> None:
    assert reading({}).version == Policy().version
    assert reading({"scale_factor": 9}).version != Policy().version


@pytest.mark.parametrize(
    ("now", "within"),
    [
        (Footprint(("a",), ("n",), {}, {"replicas": 3}), True),
        (Footprint((), (), {}, {"replicas": 3}), True),
        (Footprint(("a", "b"), ("n",), {}, {"replicas": 3}), False),
        (Footprint(("a",), ("n", "m"), {}, {"replicas": 3}), False),
        (Footprint(("a",), ("n",), {}, {"replicas": 4}), False),
    ],
)
def test_a_footprint_is_held_to_the_approved_one(now: Footprint, within: bool) -> None:
    assert now.is_within(Footprint(("a",), ("n",), {}, {"replicas": 3})) is within
