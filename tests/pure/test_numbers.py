"""Whole numbers as addresses and forms write them."""

import pytest

from assay_core.numbers import MAX_ID, whole


@pytest.mark.parametrize(
    ("text", "number"), [("0", 0), ("7", 7), ("007", 7), (str(MAX_ID), MAX_ID), ("9" * 18, 10**18 - 1)]
)
def test_digits_are_the_number_that_they_write(text: str, number: int) -> None:
    assert whole(text) == number


@pytest.mark.parametrize(
    "text",
    ["", " 7", "7\n", "-1", "+1", "1.0", "1e3", "0x10", "1_000", "٣", "²", str(MAX_ID + 1), "9" * 5_000],
)
def test_anything_else_is_no_number_and_raises_nothing(text: str) -> None:
    assert whole(text) is None


def test_a_number_beyond_the_most_is_none() -> None:
    assert (whole("31", most=31), whole("32", most=31)) == (31, None)
