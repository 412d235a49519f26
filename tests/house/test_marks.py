"""Marks that silence a tool say why, and go when it no longer holds; skips say what ends them."""

import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.house.test_house_style import CODE, ROOT

FOLDERS = (*CODE, "tests", "benchmarks")
#: noqa takes its reason behind the codes, type: ignore behind a second hash.
BARE = (
    re.compile(r"#\s*(ruff:\s*)?noqa(:\s*[A-Z]+[0-9]+(\s*,\s*[A-Z]+[0-9]+)*)?\s*(#|$)"),
    re.compile(r"#\s*(ruff:\s*)?noqa(?!:\s*[A-Z])"),
    re.compile(r"#\s*type:\s*ignore(?!\[[a-z, -]+\]\s*#\s*\w)"),
)


def comments(file: Path) -> Iterator[tuple[int, str]]:
    with tokenize.open(file) as lines:
        for token in tokenize.generate_tokens(lines.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def is_bare(comment: str) -> bool:
    return any(pattern.search(comment) for pattern in BARE)


def test_every_mark_that_silences_a_tool_says_why() -> None:
    files = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.py"))]
    marked = [file for file in files if re.search(r"noqa|type:\s*ignore", file.read_text(encoding="utf-8"))]
    assert len(marked) > 20
    bare = [
        f"{file.relative_to(ROOT)}:{line} {comment}"
        for file in marked
        for line, comment in comments(file)
        if is_bare(comment)
    ]
    assert bare == []


def test_a_mark_without_a_reason_is_known_from_one_with_it() -> None:
    hash_ = "#"
    for comment in (
        "noqa", "noqa: F401", "noqa: F401 # fmt: skip", "ruff: noqa", "ruff: noqa: S608",
        "noqa because", "type: ignore", "type: ignore[misc]", "type: ignore[misc,call-arg]",
        "type: ignore # x",
    ):  # fmt: skip
        assert is_bare(f"{hash_} {comment}"), comment
    for comment in (
        "noqa: F401 asked for its presence alone", "noqa: F401, E402 a file of their own", "fmt: skip",
        "type: ignore[misc]  # it is frozen", "type: ignore[misc,arg-type] # it counts", "a reason",
    ):  # fmt: skip
        assert not is_bare(f"{hash_} {comment}"), comment


def test_every_skip_says_what_brings_the_test_back() -> None:
    skipping = re.compile(r"(?:pytest\.skip\(|skipif\([^\"]*?reason=)(f?\"[^\"]*\")", re.DOTALL)
    said = [
        (file.name, words)
        for file in sorted((ROOT / "tests").rglob("*.py"))
        if file != Path(__file__)
        for words in skipping.findall(file.read_text(encoding="utf-8"))
    ]
    assert len(said) >= 4
    assert [each for each in said if not re.search(r"needs |make [a-z]+|run the tests as", each[1])] == []
