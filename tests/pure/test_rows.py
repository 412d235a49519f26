"""Rows that are run as one test: each is judged, and each that fails is named."""

import pytest

from tests.pure.rows import folded, rows_of

ran: list[tuple[int, str]] = []


@pytest.mark.parametrize("word", ["a", pytest.param("b", id="the second")])
@pytest.mark.parametrize(("number", "_half"), [(2, 1), (4, 2)])
def spoilt(number: int, word: str, _half: int) -> None:
    """Fail for one word."""
    ran.append((number, word))
    assert word != "b"


def test_each_row_that_fails_is_named_and_none_is_left_out() -> None:
    ran.clear()
    rows = rows_of(spoilt)
    assert rows is not None
    with pytest.raises(ExceptionGroup, match="2 of 4 rows failed") as caught:
        folded(spoilt, rows)()
    notes = [note for error in caught.value.exceptions for note in error.__notes__]
    assert all("'word': 'b'" in note for note in notes)
    assert ["'number': 2" in note for note in notes] == [True, False]
    assert sorted(ran) == [(2, "a"), (2, "b"), (4, "a"), (4, "b")]


def test_a_single_row_that_fails_raises_what_it_raised() -> None:
    with pytest.raises(AssertionError, match="b") as caught:
        folded(spoilt, [{"number": 1, "word": "a", "_half": 0}, {"number": 1, "word": "b", "_half": 0}])()
    assert "This was row 2 of 2" in caught.value.__notes__[0]


def test_what_asks_for_a_fixture_or_has_another_mark_stays_as_it_is() -> None:
    @pytest.mark.parametrize("word", ["a", "b"])
    def asks(word: str, tmp_path: object) -> None: ...

    @pytest.mark.full
    @pytest.mark.parametrize("word", ["a", "b"])
    def marked(word: str) -> None: ...

    @pytest.mark.parametrize("word", ["a", pytest.param("b", marks=pytest.mark.full)])
    def marked_row(word: str) -> None: ...

    @pytest.mark.parametrize("word", iter(["a", "b"]))
    def once(word: str) -> None: ...

    assert [rows_of(each) for each in (asks, marked, marked_row, once, len)] == [None] * 5
