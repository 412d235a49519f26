"""Answers are read strictly: what is missing or of another type raises, and says what stood there."""

import math
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verdicts.answer import Answer, FieldMismatch, FieldMissing

READS = ("text", "integer", "number", "decimal", "flag", "instant", "items", "count")

VALUES: dict[str, Any] = {
    "null": None,
    "true": True,
    "false": False,
    "zero": 0,
    "one": 1,
    "one point zero": 1.0,
    "not a number": math.nan,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "the text 0": "0",
    "the text 1.50": "1.50",
    "the text true": "true",
    "empty text": "",
    "a naive time": "2026-07-01T10:00:00",
    "a date": "2026-07-01",
    "a time": "2026-07-01T10:00:00Z",
    "an empty list": [],
    "a list": [1],
    "an empty object": {},
    "an object": {"a": 1},
}
TEXTS = {name for name, value in VALUES.items() if isinstance(value, str)}
READABLE = {
    "text": TEXTS,
    "integer": {"zero", "one"},
    "number": {"zero", "one", "one point zero"},
    "decimal": {"the text 0", "the text 1.50"},
    "flag": {"true", "false"},
    "instant": {"a time"},
    "items": {"an empty list", "a list"},
    "count": {"an empty list", "a list"},
}


@pytest.mark.parametrize("read", READS)
def test_each_read_accepts_its_own_type_and_nothing_else(read: str) -> None:
    for name, value in VALUES.items():
        answer = Answer({"field": value})
        if name in READABLE[read]:
            getattr(answer, read)("field")
        else:
            with pytest.raises(FieldMismatch) as raised:
                getattr(answer, read)("field")
            assert raised.value.path == "field"
            assert raised.value.expected
            assert raised.value.found


@pytest.mark.parametrize("read", [*READS, "is_null"])
def test_a_field_that_is_not_there_is_missing_and_never_a_default(read: str) -> None:
    answer = Answer({"a": {"list": [0], "text": "x"}})
    for path in ("b", "a.b", "a.list.1", "a.list.-1", "a.list.x", "a.list.¹", "a.text.0", "", "."):
        with pytest.raises(FieldMissing):
            getattr(answer, read)(path)


@pytest.mark.parametrize("result", [None, [], "text", 3, True, {"A": 1}])
def test_nothing_is_read_from_what_has_no_such_field(result: Any) -> None:
    with pytest.raises(FieldMissing):
        Answer(result).integer("a")


def test_a_missing_field_names_its_path_and_what_is_there_instead() -> None:
    with pytest.raises(
        FieldMissing, match=r"stats\.error_count is missing: no error_count in an object that has errors"
    ):
        Answer({"stats": {"errors_total": 412}}).integer("stats.error_count")


def test_a_mismatch_names_path_expected_and_found() -> None:
    with pytest.raises(FieldMismatch, match='open_errors must be a whole number, found "0"'):
        Answer({"open_errors": "0"}).integer("open_errors")


def test_a_key_with_a_dot_is_no_path_and_a_path_is_no_key_with_a_dot() -> None:
    with pytest.raises(FieldMissing):
        Answer({"job.state": "completed"}).text("job.state")
    assert Answer({"labels": {"app.name": "shop"}}).text(("labels", "app.name")) == "shop"


@pytest.mark.parametrize(
    "text", ["1e5", "NaN", "Infinity", " 1", "1 ", "1_000", "１", "0x1", ".5", "5.", "+1", "1.5\n"]
)
def test_only_plain_decimal_text_is_a_decimal(text: str) -> None:
    with pytest.raises(FieldMismatch):
        Answer({"a": text}).decimal("a")


def test_typed_reads_return_the_recorded_value() -> None:
    answer = Answer(
        {"rows": [{"at": "2026-07-01T12:00:00+02:00", "sum": "-12.50", "open": False, "gone": None}]}
    )
    row = answer.items("rows")[0]
    assert row.instant("at") == datetime(2026, 7, 1, 10, tzinfo=UTC)
    assert row.decimal("sum") == Decimal("-12.50")
    assert row.flag("open") is False
    assert row.is_null("gone") is True
    assert row.is_null("open") is False
    assert answer.count("rows") == 1
    assert answer.text("rows.0.sum") == "-12.50"


def test_a_time_ahead_of_the_answer_is_read_as_a_plan_alone() -> None:
    told_at = datetime(2026, 7, 1, 10, tzinfo=UTC)
    answer = Answer({"rows": [{"at": "2026-07-01T12:00:00.1+02:00"}], "no": "soon"}, told_at=told_at)
    row = answer.items("rows")[0]
    assert row.planned("at") > told_at
    with pytest.raises(
        FieldMismatch, match=r"rows\.0\.at must be a time that had come by 2026-07-01T10:00:00"
    ):
        row.instant("at")
    with pytest.raises(FieldMismatch):
        answer.planned("no")
    assert answer.reads[-2:] == [("rows.0.at", "2026-07-01T12:00:00.1+02:00"), ("no", "soon")]


def test_every_read_is_remembered_with_its_whole_path() -> None:
    answer = Answer({"rows": [{"n": 1}, {"n": 2}]})
    assert [row.integer("n") for row in answer.items("rows")] == [1, 2]
    assert answer.reads == [("rows", [{"n": 1}, {"n": 2}]), ("rows.0.n", 1), ("rows.1.n", 2)]


def test_an_answer_has_no_truth_value_no_length_no_items_and_no_get() -> None:
    answer: Any = Answer({"a": 1})
    for use in (bool, len, iter, lambda it: it["a"], lambda it: "a" in it):
        with pytest.raises(TypeError):
            use(answer)
    assert not hasattr(answer, "get")


def test_very_long_numbers_and_texts_do_not_break_the_sentence() -> None:
    with pytest.raises(FieldMismatch, match="found a very long number"):
        Answer({"a": 10**6000}).text("a")
    with pytest.raises(FieldMismatch, match="…"):
        Answer({"a": "x" * 10_000}).integer("a")


def test_a_result_deeper_than_the_interpreter_recurses_is_read() -> None:
    deep: Any = "end"
    for _ in range(5_000):
        deep = {"a": deep}
    assert Answer(deep).text(".".join(["a"] * 5_000)) == "end"
    with pytest.raises(FieldMismatch, match="found an object"):
        Answer(deep).text("a")
    while isinstance(deep, dict):  # taken apart from outside, so that freeing it does not recurse
        deep = deep.pop("a")


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(JSON, st.sampled_from(READS), st.text(max_size=7))
def test_no_read_raises_anything_but_its_two_errors(result: Any, read: str, path: str) -> None:
    with suppress(FieldMissing, FieldMismatch):
        getattr(Answer(result), read)(path)
