"""Patterns for identifiers: only what is linear to run, and nothing where two values are found."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incidents.patterns import PatternRefused, check, compiled, find

REFUSED = (
    "", "a" * 121, "(a+)+", "(a|b)", "a|b", r"(a)\1", "(?=a)a", "(?:a)", "(?P<x>a)", "((a))", "(a", "a)",
    "a**", "a+?", "a{2,1}", "a{0}", "a{201}", "a{1,999}", "[a", "[b-a]", r"\q", r"\1", "a*", "x?", "[a--b]",
    "[a&&b]", "^", "()", "(a)(b)", r"\Z", "[[:alpha:]]", "a" + "\\",
)  # fmt: skip


def test_what_could_be_slow_or_is_no_pattern_is_refused() -> None:
    for pattern in REFUSED:
        with pytest.raises(PatternRefused):
            pytest.fail(f"{pattern!r} became {compiled(pattern)!r}")


@pytest.mark.parametrize("name", ["", "Order", "order-id", "1a", "a" * 61])
def test_a_name_that_no_rule_could_ask_for_is_refused(name: str) -> None:
    with pytest.raises(PatternRefused):
        check({name: "a"})


def test_too_many_patterns_are_refused() -> None:
    with pytest.raises(PatternRefused, match="at most"):
        check({f"a{number}": "a" for number in range(21)})


@pytest.mark.parametrize(
    ("pattern", "text", "value"),
    [
        (r"SO-\d{4,8}", "order SO-12345 please", "SO-12345"),
        (r"order #?(\d+)\b", "my order #77, thanks", "77"),
        (r"[A-Z]{2}[0-9]+", "x AB12", "AB12"),
        (r"job=([^\s,]+)", "job=nightly/7, host=a", "nightly/7"),
        (r"^id: (\w+)$", "id: abc", "abc"),
        (r"a\.b", "a.b axb", "a.b"),
    ],
)
def test_it_finds_what_it_says(pattern: str, text: str, value: str) -> None:
    assert find({"x": pattern}, [text]) == {"x": value}


def test_two_different_values_are_none_and_the_same_twice_is_one() -> None:
    assert find({"x": r"SO-\d+"}, ["SO-1", "SO-2"]) == {}
    assert find({"x": r"SO-\d+"}, ["SO-1 and SO-1", "SO-1"]) == {"x": "SO-1"}


def test_a_pattern_that_may_no_longer_be_used_stops_none_of_the_others() -> None:
    assert find({"bad": "(a+)+", "x": "a"}, ["a"]) == {"x": "a"}


PARTS = st.sampled_from(
    ["a", "b", ".", r"\d", r"\w", "[ab]", "a+", "a*", ".*", r"\w+", "a{1,200}", "(", ")", "$", "^"]
)


@given(st.lists(PARTS, min_size=1, max_size=24).map("".join))
def test_no_pattern_is_slow_on_a_hostile_text(pattern: str) -> None:
    try:
        compiled(pattern)
    except PatternRefused:
        return
    began = time.process_time()
    find({"x": pattern}, ["a" * 4_000, "ab" * 2_000, "a" * 3_999 + "!"])
    assert time.process_time() - began < 1
