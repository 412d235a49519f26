"""The page that names a test for each need of a write names tests that there are, and no need without one."""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "reference" / "needs-of-a-write.md"
NEEDS = [f"A{number}" for number in range(1, 23)]


def rows() -> dict[str, list[str]]:
    """The tests of each row, by its first cell."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "`tests/" in line]
    return {line.split("|")[1].strip(): re.findall(r"`(tests/[^`]+)`", line) for line in lines}


@cache
def found_in(file: str) -> frozenset[str]:
    path = ROOT / file
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return frozenset(re.findall(r"^def (test_\w+)\(", text, re.M))


def test_each_need_has_a_test() -> None:
    assert [need for need in NEEDS if not rows().get(need)] == []


def test_each_named_test_is_there() -> None:
    named = [each for tests in rows().values() for each in tests]
    missing = [each for each in named if each.partition("::")[2] not in found_in(each.partition("::")[0])]
    assert missing == []


def test_each_test_that_is_called_by_a_need_stands_beside_it() -> None:
    for file in ("tests/db/test_write_needs_deciding.py", "tests/db/test_write_needs_executing.py"):
        for name in found_in(file):
            if called := re.match(r"test_a(\d+)_", name):
                assert f"{file}::{name}" in rows()[f"A{called[1]}"], name
