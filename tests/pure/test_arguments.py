"""Arguments in their one form: defaults, then normalisation, and what can't be normalised stays as it is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_core.arguments import ToolShape, one_form

SHAPE = ToolShape(
    "count_log_matches",
    "d",
    defaults={"limit": 50, "tenant": "ALL"},
    normalise={"tenant": ("strip", "lower"), "since": ("instant",), "code": ("upper",)},
)


@pytest.mark.parametrize("value", [None, 7, True, [" A "], {"a": " A "}])
def test_what_is_no_text_is_left_as_it_is(value: Any) -> None:
    assert one_form({"tenant": value}, SHAPE)["tenant"] is value


@pytest.mark.parametrize("value", ["yesterday", "2026-07-01", "2026-07-01T10:00:00", ""])
def test_what_is_no_instant_is_left_as_it_is(value: str) -> None:
    assert one_form({"since": value}, SHAPE)["since"] == value


def test_an_unknown_normalisation_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown normalisation 'squeeze'"):
        one_form({"a": "x"}, ToolShape("t", "d", normalise={"a": ("squeeze",)}))


def test_a_given_null_is_not_the_default() -> None:
    assert one_form({"limit": None}, SHAPE)["limit"] is None


def test_defaults_are_filled_in_and_normalised_too() -> None:
    assert one_form({"since": "2026-07-01T12:00:00+02:00", "code": "x"}, SHAPE) == {
        "limit": 50,
        "tenant": "all",
        "since": "2026-07-01T10:00:00.000000Z",
        "code": "X",
    }


ARGUMENTS = st.dictionaries(
    st.sampled_from(["tenant", "since", "code", "limit", "other"]),
    st.text(max_size=6) | st.integers() | st.none(),
)


@given(ARGUMENTS)
def test_the_one_form_of_the_one_form_is_itself(arguments: dict[str, Any]) -> None:
    formed = one_form(arguments, SHAPE)
    assert one_form(formed, SHAPE) == formed


def test_a_letter_that_only_looks_alike_is_not_folded_into_its_double() -> None:
    shape = ToolShape("t", "d", normalise={"email": ("strip", "lower"), "code": ("upper",)})
    formed = one_form(
        {"email": " MARI\N{KELVIN SIGN}@X.EXAMPLE ", "code": "\N{LATIN SMALL LETTER DOTLESS I}d"}, shape
    )
    assert formed == {
        "email": "mari\N{KELVIN SIGN}@x.example",
        "code": "\N{LATIN SMALL LETTER DOTLESS I}D",
    }
