"""The contract of issues, and what code can tell of the reasons that are claimed."""

import json
import os
from datetime import UTC, datetime
from typing import Any

import pytest

from investigations import classification, confidence
from investigations.classification import (
    CannotLook,
    Checked,
    ContractUnknown,
    IssueText,
    KnownIssue,
    Listed,
    contract,
    links,
    reasons,
    traces,
    versions,
)
from investigations.classification.contracts import parsed
from investigations.classification.contracts import versions as known_versions
from toolbox import schemas

BEFORE, THEN, AFTER = (datetime(2026, 3, day, tzinfo=UTC) for day in (1, 2, 3))
HERE = "octo-org/shop"
LONG = 8_000 if os.environ.get("FULL") == "1" else 3_000
ISSUE = IssueText("Empty", "", number=7, repository=HERE, opened_at=THEN)


def checked(reason: str, body: str, known: Any = None, **more: Any) -> classification.Check:
    issue = IssueText("Empty", body, **{"number": 7, "repository": HERE, "opened_at": THEN, **more})
    (found,) = reasons.checked([reason], issue, known or Listed())
    return found


def test_each_version_is_a_file_with_its_label_set() -> None:
    assert known_versions() == ["1", "1-compatible"]
    for version in known_versions():
        agreed = contract(version)
        assert (agreed.version, agreed.label_set) == (version, "1")
        assert agreed.labels == ("bug", "docs", "question", "feature", "duplicate", "spam")
        assert not set(agreed.machine_reasons) & set(agreed.reason_codes)
        assert agreed.compatible is (version == "1-compatible")
        assert parsed(agreed.text) == agreed
    assert contract("1").shown == contract("1-compatible").shown
    assert contract("1").digest != contract("1-compatible").digest
    with pytest.raises(ContractUnknown, match="There are 1"):
        contract("2")


def test_the_strict_version_has_no_place_for_confidence() -> None:
    good = {"label": "bug", "reasons": ["asks_how_to"], "needs_human": True}
    for word in contract("1-compatible").dropped:
        assert schemas.complaint({**good, word: 0.9}, contract("1").schema)
        assert not schemas.complaint({**good, word: {"any": [1]}}, contract("1-compatible").schema)
        assert confidence.is_word(word)


@pytest.mark.parametrize(
    "text",
    [
        '{"label": "bug", "confidence": 0.731}', '{"confidence": 0.731, "label": "bug"}',
        '{"label": "bug", "confid\\u0065nce": 0.731}', '{"a": [{"Certainty": "0.731"}], "label": "bug"}',
        '```json\n{"label": "bug", "score": {"bug": 0.731}}\n```', '{"label": "bug", "probability": [0.731',
        "label: bug, confidence: 0.731", "label bug 'confidence' = \"0.731 %\"",
        '{"confidence": 0.731, "confidence": 0.731, "label": "bug"}', '{"label": "bug", "likelihood":0.731}}',
    ],
)  # fmt: skip
def test_confidence_is_taken_out_of_whatever_a_reply_is(text: str) -> None:
    kept = confidence.without(text)
    assert "0.731" not in kept
    assert "bug" in kept


@pytest.mark.parametrize("text", ["", "{}", '{"label": "bug"}', "I scored a goal with confidence.", "[1, 2]"])
def test_what_says_nothing_of_confidence_is_kept_as_it_is(text: str) -> None:
    assert confidence.without(text) == text


TRACES = {
    "Python": 'Traceback (most recent call last):\n  File "a.py", line 3, in f\nKeyError',
    "Python, quoted": '> > File "/srv/a b.py", line 3',
    "Java": "java.lang.IllegalStateException: x\n\tat org.shop.Cart.add(Cart.java:7)",
    "Java, no source": "Caused by: x\n    at sun.misc.Unsafe.park(Native Method)",
    "Kotlin": "\tat shop.CartKt.main(Cart.kt)",
    "Node": "TypeError: x\n    at Object.<anonymous> (/app/index.js:3:11)",
    "a browser": "render@https://shop.example/app.js:3:11\nupdate@https://shop.example/app.js:9:1",
    "C#": "   at Shop.Cart.Add(Int32 id) in /src/Cart.cs:line 7",
    "C#, no symbols": "   at Shop.Cart.Add(Int32 id)\n   at Shop.Program.Main(String[] args)",
    "Go": "panic: x\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:7 +0x1d",
    "Rust": "thread 'main' panicked at src/main.rs:7:5:\nx",
    "Rust frames": "   3: shop::cart::add\n             at ./src/cart.rs:7:5",
    "Ruby": "cart.rb:7:in `add': x (KeyError)\n\tfrom cart.rb:9:in `<main>'",
    "PHP": "PHP Fatal error\n#0 /var/www/cart.php(7): Cart->add()\n#1 {main}",
    "gdb": "#0  0x00007f in add (id=7) at cart.c:7\n#1  main () at cart.c:9",
    "Elixir": "** (KeyError)\n    (shop 0.1.0) lib/cart.ex:7: Cart.add/1",
    "Swift": "0   Shop  0x0000000102 add\n1   Shop  0x0000000103 main".replace("0x", "0x0000"),
    "Perl": "x at a.pl line 1.\n\tmain::add(7) called at a.pl line 7\n\tmain::run() called at a.pl line 9",
}
NONE = [
    "", "It crashes.", "Error: nothing is shown", "See the file cart.py, line 7.", "at the office (Monday)",
    "I was at work (see below)", "1. open it\n2. look at it (again)", "# Steps (short)\n## More (long)",
    "#1 thing (that I want)".replace("#1", "# 1"), "panic in the streets", "mail me@shop.example:25:1",
    "    at least (three) times", "from where: in the shop",
]  # fmt: skip


@pytest.mark.parametrize("text", TRACES.values(), ids=TRACES)
def test_a_stack_trace_is_found(text: str) -> None:
    assert traces.found_in(f"It says:\n\n```\n{text}\n```\n")
    assert checked("stack_trace_present", text).outcome is Checked.HOLDS


@pytest.mark.parametrize("text", NONE)
def test_prose_is_no_stack_trace(text: str) -> None:
    assert traces.found_in(text) == ""
    assert checked("stack_trace_present", text).outcome is Checked.CONTRADICTED


@pytest.mark.parametrize(
    "text",
    [
        "v1", "V2.3", "version 4", "Version: 1.2", "**Version**: `0.9`", "release 2026.03", "1.2.3",
        "2.0.0.dev1", "1.2.3-rc1", "Python 3.12", "node 20", "Ubuntu 24.04", "k8s 1.31",
        "kernel 6.8", "django==5.2.1",        "commit 3f2a9bc", "shop-1.4.2", "build 991",
    ],
)  # fmt: skip
def test_a_version_is_found_so_that_none_is_missing(text: str) -> None:
    assert versions.found_in(f"Seen with {text}, always.")
    assert checked("version_missing", f"Seen with {text}.").outcome is Checked.CONTRADICTED


@pytest.mark.parametrize(
    "text",
    [
        "", "It is white.", "Version:", "Version: unknown", "the newest version", "10.0.0.7",
        "at 12.30 o'clock", "3.5 seconds", "in 2026", "step 3", "which version?",
        "https://shop.example/api/v1/parcels", "0.5 %",
        "on 2026-03-01", "Python", "192.168.1.1:8080", "I go 3 times", "issue 7",
    ],
)  # fmt: skip
def test_a_number_is_not_yet_a_version(text: str) -> None:
    assert versions.found_in(text) == ""
    assert checked("version_missing", text).outcome is Checked.HOLDS


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("like #3", [(HERE, 3)]), ("(#3, #4) and #3", [(HERE, 3), (HERE, 4)]), ("GH-3", [(HERE, 3)]),
        ("other/place#5", [("other/place", 5)]), ("Fixes: #12.", [(HERE, 12)]),
        (f"https://github.com/{HERE}/issues/9#issuecomment-1", [(HERE, 9)]),
        ("https://gitlab.example/a/b/-/issues/9", [("a/b", 9)]),
        ("&#39; #000abc page#3 #0 #x", []), ("`#3` ```\n#3\n``` <!-- #3 -->", []),
        ("https://github.com/a/b/pull/9", []), ("a/b/c#3", []), ("# 3", []), ("#3-4", []),
    ],
)  # fmt: skip
def test_links_are_what_people_write(text: str, found: list[tuple[str, int]]) -> None:
    assert [(link.repository, link.number) for link in links.found_in(text, repository=HERE)] == found


def known(*numbers: int, repository: str = HERE, at: datetime | None = BEFORE, whole: bool = False) -> Listed:
    return Listed({(repository, each): KnownIssue(repository, each, at) for each in numbers}, whole)


@pytest.mark.parametrize(
    ("body", "there", "outcome", "words"),
    [
        ("nothing", known(3), Checked.CONTRADICTED, "links no issue"),
        ("#7", known(7), Checked.CONTRADICTED, "this issue itself"),
        (f"{HERE.upper()}#7", known(7), Checked.CONTRADICTED, "this issue itself"),
        ("#8", known(8), Checked.CONTRADICTED, "younger"),
        ("#3", known(whole=True), Checked.CONTRADICTED, "does not exist"),
        ("#3", known(), Checked.UNCHECKED, "could not be told"),
        ("#3", known(3), Checked.HOLDS, "exists and is older"),
        ("#3", known(3, at=None), Checked.HOLDS, "exists and is older"),
        ("#7 and #8 and #3", known(3), Checked.HOLDS, "#3"),
        ("#7 and #3", known(), Checked.UNCHECKED, "#3"),
        ("other/place#99", known(99, repository="other/place"), Checked.HOLDS, "older"),
        ("other/place#9", known(9, repository="other/place", at=AFTER), Checked.CONTRADICTED, "not older"),
        ("other/place#9", known(9, repository="other/place", at=THEN), Checked.CONTRADICTED, "not older"),
        ("other/place#9", known(9, repository="other/place", at=None), Checked.UNCHECKED, "older"),
    ],
)
def test_a_prior_issue_exists_is_older_and_another(
    body: str, there: Listed, outcome: Checked, words: str
) -> None:
    found = checked("links_prior_issue", body, there)
    assert found.outcome is outcome
    assert words in found.words


def test_an_issue_that_has_no_number_is_compared_by_time() -> None:
    lone = {"number": 0, "repository": ""}
    there = known(3, repository="")
    assert checked("links_prior_issue", "#3", there, **lone).outcome is Checked.HOLDS
    assert checked("links_prior_issue", "#3", there, **lone, opened_at=None).outcome is Checked.UNCHECKED


def test_no_more_than_ten_links_are_looked_up() -> None:
    asked = []

    class Counting:
        def find(self, repository: str, number: int) -> None:
            asked.append(number)
            raise CannotLook("nobody knows")

    text = " ".join(f"other/place#{number}" for number in range(1, 500))
    assert checked("links_prior_issue", text, Counting()).outcome is Checked.UNCHECKED
    assert len(asked) == 10


@pytest.mark.parametrize(
    "code", ["repro_steps_present", "asks_how_to", "no_actionable_detail", "a code of next year"]
)
def test_what_no_code_can_tell_is_the_models_word_alone(code: str) -> None:
    assert checked(code, "x").outcome is Checked.CLAIMED


HOSTILE = (
    "at ", "(", "#", "a/", " ", 'File "', "version", "version  ", "1.", "at a.b(", ">", "`", "<!--", "0x0",
    "a@b:1:", "confidence: ", ",", "\n at x", "x called at ", "https://a/b/issues/", "[", "\n#1 ", "1.2.",
)  # fmt: skip


def test_the_checks_come_to_an_end_whatever_a_text_repeats() -> None:
    for part in HOSTILE:
        text = part * (LONG // len(part))
        traces.found_in(text)
        versions.found_in(text)
        links.found_in(text, repository=HERE)
        confidence.without(text)


def test_a_whole_reply_stays_json_when_confidence_is_dropped() -> None:
    told = {"label": "bug", "reasons": ["asks_how_to"], "confidence": 0.9, "needs_human": False}
    assert json.loads(confidence.without(json.dumps(told))) == {
        name: value for name, value in told.items() if name != "confidence"
    }
