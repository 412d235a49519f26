"""What differs between two texts or two answers; how alike titles are; rows that hold no formula."""

import time

from hypothesis import given
from hypothesis import strategies as st

from incidents import differences, likeness, sheets
from incidents.differences import Change

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=3),
    max_leaves=8,
)
TEXT = st.text("ab \n.é", max_size=40)


@given(TEXT, TEXT)
def test_without_what_is_new_it_reads_as_the_first_and_without_what_is_gone_as_the_second(
    before: str, after: str
) -> None:
    pieces = differences.of_texts(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind != "new") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "gone") == after


def test_texts_that_repeat_themselves_cost_no_time() -> None:
    began = time.monotonic()
    pieces = differences.of_texts("a " * 10_000, "a a b " * 6_666)
    assert time.monotonic() - began < 1
    assert {piece.kind for piece in pieces} == {"gone", "new"}
    differences.of_texts("\n" * 20_000, "\n" * 19_000 + "x")
    assert time.monotonic() - began < 1


def test_one_changed_word_is_all_that_differs() -> None:
    pieces = differences.of_texts("Paid on Monday.\nBye.", "Paid on Tuesday.\nBye.")
    assert [(piece.kind, piece.text) for piece in pieces] == [
        ("same", "Paid on"),
        ("gone", " Monday."),
        ("new", " Tuesday."),
        ("same", "\nBye."),
    ]


def test_true_is_not_one_and_one_is_not_one_point_nought() -> None:
    changes, more = differences.of_answers({"a": True, "b": 1}, {"a": 1, "b": 1.0})
    assert [(change.kind, change.place) for change in changes] == [("changed", "a"), ("changed", "b")]
    assert more == 0


def test_each_place_is_named() -> None:
    changes, _ = differences.of_answers(
        {"job": {"state": "failed"}, "rows": [{"id": 1}], "old": 0},
        {"job": {"state": "done"}, "rows": [{"id": 1}, {"id": 2}], "new": None},
    )
    assert changes == [
        Change("changed", "job.state", "failed", "done"),
        Change("new", "rows[1]", None, {"id": 2}),
        Change("gone", "old", 0, None),
        Change("new", "new", None, None),
    ]


def test_many_differences_are_counted_and_not_all_shown() -> None:
    changes, more = differences.of_answers(list(range(500)), [])
    assert (len(changes), more) == (200, 300)


@given(JSON, JSON)
def test_there_is_no_difference_exactly_where_both_are_the_same(before: object, after: object) -> None:
    changes, _ = differences.of_answers(before, after)
    assert bool(changes) == (repr(_plain(before)) != repr(_plain(after)))


def test_likeness_is_that_of_the_databases_trigrams() -> None:
    """The figures of pg_trgm: word against two words is 4/11, and nothing is like nothing."""
    assert likeness.alike(likeness.pieces("word"), likeness.pieces("two words")) == 4 / 11
    assert likeness.alike(likeness.pieces("Job FAILED"), likeness.pieces("failed job")) == 1
    assert likeness.alike(likeness.pieces(""), likeness.pieces("")) == 0


def test_numbers_find_nothing_alike() -> None:
    assert likeness.words(["Job job-48107 failed", "failed_again 7"]) == ["job", "failed", "again"]


def test_nothing_in_a_sheet_is_a_formula() -> None:
    for text in ("=1+1", "+1", "-1", "@x", "\t=1", "  =1", "\r=1", "\n=1", "＝1"):
        line = sheets.csv_text(["a"], [[text]]).partition("\r\n")[2]
        assert line.lstrip('"').startswith("'"), text


def test_a_sheet_keeps_numbers_quotes_and_lines() -> None:
    assert sheets.csv_text(["a", "b", "c"], [[-1, 'x "y"\nz', None]]) == 'a,b,c\r\n-1,"x ""y""\nz",\r\n'


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {name: _plain(value[name]) for name in sorted(value)}
    return [_plain(each) for each in value] if isinstance(value, list) else value
