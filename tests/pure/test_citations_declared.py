"""The file that says what ids look like: what it refuses, and what can never be looked up."""

import re
from pathlib import Path
from typing import Any

import pytest

from investigations import drafts
from investigations.checks import ids_can_be_looked_up
from investigations.citations import declared
from investigations.citations.patterns import TRACE, find
from toolbox import registry
from toolbox.registry import Toolbox
from toolbox.yamlfile import DefinitionError

LOOK = "    look_up: {tool: find_order, argument: order_id}\n"
GOOD = f"citations:\n  - kind: order\n    pattern: '\\bSO-([0-9]{{4}})\\b'\n    case: upper\n{LOOK}"


def read(folder: Path, text: str) -> Any:
    (folder / "citations.yaml").write_text(text)
    return declared.load(folder / "citations.yaml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("citations: []\n", "list with something"),
        ("ids: []\n", "unknown key"),
        (GOOD + GOOD.removeprefix("citations:\n"), "declared twice"),
        (GOOD.replace("kind: order", "kind: entry"), "is no kind"),
        (GOOD.replace("kind: order", "kind: Order No"), "is no kind"),
        (GOOD.replace("'\\bSO-([0-9]{4})\\b'", "'(('"), "is no pattern"),
        (GOOD.replace("'\\bSO-([0-9]{4})\\b'", "'[0-9]*'"), "finds an empty text"),
        (GOOD.replace("'\\bSO-([0-9]{4})\\b'", "'(a)(b)'"), "more than one group"),
        (GOOD.replace("'\\bSO-([0-9]{4})\\b'", f"'{'a' * 201}'"), "too long"),
        (GOOD.replace("case: upper", "case: loud"), "as_written"),
        (GOOD + "    link: javascript:alert(1)//{id}\n", "no link"),
        (GOOD + "    link: https://shop.example/orders\n", "no link"),
        (GOOD.replace("argument: order_id", "argument: order_id, hours: 0"), "whole number from 1"),
        (GOOD.replace("argument: order_id", "argument: order_id, with: [a]"), "no mapping"),
        (GOOD.replace(", argument: order_id", ""), "lacks argument"),
        ("citations:\n  - kind: trace\n    pattern: 'x'\n", "is built in"),
        (GOOD + "    not_found_is_missing: perhaps\n", "true or false"),
    ],
)  # fmt: skip
def test_what_can_not_be_meant_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DefinitionError, match=re.escape(said)) as refused:
        read(tmp_path, text)
    assert refused.value.line >= 1


def test_a_declared_kind_is_found_by_its_group_and_in_its_case(tmp_path: Path) -> None:
    patterns = read(tmp_path, GOOD.replace("[0-9]", "[0-9a-z]"))
    assert [each.kind for each in patterns] == ["order", TRACE]
    assert [each.value for each in find("About SO-12ab.", patterns)] == ["12AB"]


def test_look_ups_that_no_tool_can_answer_are_named(tmp_path: Path) -> None:
    patterns = read(tmp_path, GOOD)
    assert declared.troubles(patterns, {}) == [
        "order ids are looked up by find_order, and no such tool is loaded."
    ]


@pytest.mark.parametrize(
    ("text", "ids"), [("citations: 1\n", ["investigations.W001"]), (GOOD, ["investigations.W002"])]
)
def test_the_system_check_says_what_stays_unchecked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any, text: str, ids: list[str]
) -> None:
    (tmp_path / "citations.yaml").write_text(text)
    settings.TRIAGE_CITATIONS = str(tmp_path / "citations.yaml")
    monkeypatch.setattr(registry, "current", lambda: Toolbox({}, {}))
    declared.current.cache_clear()
    try:
        assert [each.id for each in ids_can_be_looked_up()] == ids
        assert len(drafts.patterns()) == (1 if ids == ["investigations.W001"] else 2)
    finally:
        declared.current.cache_clear()
