"""Golden sets as files: what loads, and each way in which one is malformed, in a sentence with its line."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from investigations.classification import contract
from trials.golden.privacy import masked_text
from trials.golden.reading import MOST_BODY, read
from trials.golden.rows import Row, digest_of, line_of
from trials.states import Origin

LABELS = contract().labels
SHIPPED = Path(__file__).resolve().parents[2] / "examples" / "golden" / "issues.jsonl"
KNOWN = Path(__file__).with_name("golden.jsonl")
GOOD = [
    {"id": f"r{number}", "label": LABELS[number % 6], "title": f"T {number}", "body": "B"}
    for number in range(40)
]


def written(rows: list[Any]) -> bytes:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()


def third(**changed: Any) -> bytes:
    """Return forty rows whose third differs; a value of None takes the field out."""
    row = {name: value for name, value in {**GOOD[2], **changed}.items() if value is not ...}
    return written([*GOOD[:2], row, *GOOD[3:]])


MALFORMED: dict[str, tuple[bytes, int, str]] = {
    "duplicate id": (third(id="r1"), 3, "stands on line 2 too"),
    "unknown label": (third(label="defect"), 3, "'defect' is none of bug, docs"),
    "a label in capitals": (third(label="Bug"), 3, "exactly"),
    "missing title": (third(title=...), 3, "`title` is missing"),
    "empty title": (third(title=" "), 3, "`title` is empty"),
    "title of null": (third(title=None), 3, "`title` is missing"),
    "missing body": (third(body=...), 3, "`body` is missing"),
    "title that is a list": (third(title=["a"]), 3, "`title` is a list where a text is needed"),
    "byte order mark": (b"\xef\xbb\xbf" + written(GOOD), 1, "BOM"),
    "CRLF": (written(GOOD).replace(b"\n", b"\r\n"), 1, "So do 39 more"),
    "CRLF on one line": (third().replace(b'"T 2", "body": "B"}', b'"T 2", "body": "B"}\r'), 3, "CR LF"),
    "NUL byte": (third(title="X").replace(b'"X"', b'"X\0"'), 3, "NUL"),
    "NUL escaped": (third(title="a\0b"), 3, "NUL character"),
    "lone surrogate": (third(title="X").replace(b'"X"', b'"\\ud83d"'), 3, "lone surrogate"),
    "1 MB body": (third(body="x" * 1_048_576), 3, f"1048576 characters, and at most {MOST_BODY}"),
    "Latin-1": (third(title="Züge").replace("ü".encode(), b"\xfc"), 3, "not UTF-8"),
    "UTF-16": (written(GOOD).decode().encode("utf-16"), 1, "UTF-16"),
    "UTF-16 without a mark": (written(GOOD).decode().encode("utf-16-le"), 1, "NUL"),
    "not an object": (written([*GOOD[:2], ["bug"], *GOOD[3:]]), 3, "a list where an object"),
    "bad JSON": (third(title="X").replace(b'"X"', b'"X'), 3, "not JSON"),
    "NaN": (third(title="X").replace(b'"X"', b"NaN"), 3, "NaN is not a JSON number"),
    "a field twice": (
        third(title="X").replace(b'"title": "X"', b'"title": "X", "title": 1'),
        3,
        "stands twice",
    ),
    "same text": (third(title="t  1", label=GOOD[1]["label"]), 3, "says the same as line 2. Keep one"),
    "contradiction": (
        third(title="T 1"),
        3,
        "as line 2, which is labelled 'docs' and this 'question'",
    ),
    "unknown origin": (third(origin="dreamt"), 3, "`origin` is none of"),
    "frozen as a text": (third(frozen="yes"), 3, "`frozen` is a text"),
    "deep nesting": (third(title="X").replace(b'"X"', b"[" * 100_000), 3, "not JSON"),
    "empty": (b"\n \n", 0, "holds no row"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_each_malformed_file_gives_a_sentence_with_its_line_and_no_row(name: str) -> None:
    content, line, words = MALFORMED[name]
    found = read(content, LABELS)
    assert found.rows == ()
    told = [str(fault) for fault in found.faults if fault.line == line]
    assert any(words in each for each in told), [str(fault)[:200] for fault in found.faults[:5]]
    assert all(each.startswith(f"Line {line}: ") or not line for each in told)
    assert all(each.endswith(".") and len(each) < 400 for each in told)


def test_known_issues_of_other_projects_load_with_every_label() -> None:
    found = read(KNOWN.read_bytes(), LABELS)
    assert found.faults == ()
    assert len(found.rows) == 40
    assert {row.label for row in found.rows} == set(LABELS)
    assert not any("No row" in each or "few" in each for each in found.cautions)


def test_every_fault_of_a_file_is_told_not_the_first_alone() -> None:
    rows = [*GOOD[:2], {"id": "r0", "label": "defect", "title": 7}, "text", *GOOD[4:]]
    told = [(fault.line, fault.sentence[:20]) for fault in read(written(rows), LABELS).faults]
    assert [line for line, _ in told] == [3, 3, 3, 3, 4]


def test_a_label_without_a_row_and_few_rows_are_warned_of() -> None:
    found = read(written([row for row in GOOD[:35] if row["label"] != "spam"]), LABELS)
    assert found.faults == ()
    assert any("No row has the label spam" in each for each in found.cautions)
    assert any("fewer than 36" in each for each in found.cautions)
    assert not read(written(GOOD), LABELS).cautions


def test_a_field_that_is_not_read_is_warned_of_by_name() -> None:
    found = read(third(evidence="seen"), LABELS)
    assert len(found.rows) == 40
    assert any("'evidence', of 1 rows" in each for each in found.cautions)


def test_the_shipped_set_has_sixty_rows_of_all_labels_twenty_of_them_hard() -> None:
    found = read(SHIPPED.read_bytes(), LABELS)
    assert (found.faults, found.cautions) == ((), ())
    assert len(found.rows) >= 60
    assert sum(bool(row.hard) for row in found.rows) >= 20
    assert min(Counter(row.label for row in found.rows)[label] for label in LABELS) >= 6
    ids = {row.id for row in found.rows}
    for row in found.rows:
        assert (row.target in ids) == (row.label == "duplicate"), row.id
        number = row.target.partition("#")[2]
        assert not number or re.search(rf"#{number}\b", row.body), row.id


def test_the_order_of_rows_and_what_is_beside_them_change_no_digest() -> None:
    rows = [Row("a", "bug", "T"), Row("b", "docs", "U", hard="why", origin=Origin.OVERRIDE)]
    assert digest_of(rows) == digest_of([Row("b", "docs", "U"), Row("a", "bug", "T")])
    assert digest_of(rows) != digest_of([Row("a", "docs", "T"), Row("b", "docs", "U")])


def test_what_is_written_is_read_back_as_it_was() -> None:
    rows = (
        Row("a", "bug", "T", 'B "quoted"\nand ü', hard="why", origin=Origin.CLOSED, is_frozen=True),
        Row("b", "duplicate", "U", target="a"),
    )
    text = "".join(f"{line_of(row)}\n" for row in rows)
    assert read(text.encode(), LABELS).rows == rows


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("write to jane.doe@example.org please", "write to [redacted: email] please"),
        ("from 192.168.7.12:8080", "from [redacted: ip]:8080"),
        ("nothing personal, ferry 2.4.1", "nothing personal, ferry 2.4.1"),
    ],
)
def test_personal_data_is_masked_by_its_kind(text: str, kept: str) -> None:
    assert masked_text(text) == kept
    assert masked_text(kept) == kept


def test_secrets_are_masked_too() -> None:
    secret: Callable[[str], str] = lambda text: masked_text(f"token={text}")  # noqa: E731 one line says it
    assert "ghp_" not in secret("ghp_" + "a1B2" * 9)
