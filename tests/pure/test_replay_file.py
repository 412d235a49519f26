"""A replay's file: strict when it is read, canonical when it is written."""

import json
from typing import Any

import pytest

from tests.pure.replayed import a_replay
from verdicts.plain import CaseUnreadable
from verdicts.replay.file import Replay


def changed(**parts: Any) -> str:
    return json.dumps({**a_replay(passes=True, outcome="harmless").to_plain(), **parts})


def without_an_entry() -> dict[str, Any]:
    whole = a_replay(passes=True, outcome="harmless").to_plain()
    return {**whole, "entries": whole["entries"][1:]}


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_file_that_lacks_an_entry_of_its_run_does_not_load(place: int) -> None:
    whole = a_replay(passes=True, outcome="harmless").to_plain()
    del whole["entries"][place]
    with pytest.raises(CaseUnreadable, match="lacks entry"):
        Replay.from_text(json.dumps(whole))


def test_a_file_whose_case_leaves_out_an_entry_does_not_load() -> None:
    whole = a_replay(passes=True, outcome="harmless").to_plain()
    whole["case"]["entries"] = whole["case"]["entries"][:-1]
    with pytest.raises(CaseUnreadable, match="does not list entry"):
        Replay.from_text(json.dumps(whole))


def test_an_entry_with_another_leaf_does_not_load() -> None:
    whole = a_replay(passes=True, outcome="harmless").to_plain()
    whole["entries"][0]["leaf"] = "0" * 64
    with pytest.raises(CaseUnreadable, match="leaf differs"):
        Replay.from_text(json.dumps(whole))


def test_an_entry_that_stands_twice_does_not_load() -> None:
    whole = a_replay(passes=True, outcome="harmless").to_plain()
    whole["entries"].append(whole["entries"][0])
    with pytest.raises(CaseUnreadable, match="one id"):
        Replay.from_text(json.dumps(whole))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON"),
        ("[]", "must be an object"),
        ("{}", "lacks about"),
        (changed(v=2), "this version reads 1"),
        (changed(v=True), "this version reads 1"),
        (changed(stranger=1), "stranger"),
        (changed(actual={"outcome": "fine", "target": None}), "cannot be closed as 'fine'"),
        (changed(actual={"outcome": "claim upheld", "target": None}), "cannot be closed"),
        (changed(actual={"outcome": "duplicate of", "target": {"kind": "x", "outcome": "y"}}), "'x'"),
        (changed(masked={"e-mail": "2"}), "masked.e-mail"),
        (changed(prompt_only={"passed": 1, "said": "", "by": ""}), "prompt_only.passed"),
        (changed(tools={"find_job": {"digest": "", "defaults": {}}}), "tools.find_job"),
        (changed(tools={"t": {"digest": "", "defaults": {}, "normalise": {"a": ["trim"]}}}), "'trim'"),
        (changed(about="\ud800"), "surrogate"),
        (changed(about=float("nan")), "NaN is not a JSON number"),
        (changed(about=1.5).replace("1.5", "1e999", 1), "the number 1e999 is too large"),
        (changed().replace('"about"', '"about": "first", "about"', 1), "stands twice"),
        pytest.param("[" * 100_000, "not JSON", id="deep"),
    ],
)
def test_what_is_not_exactly_a_replay_is_refused_by_its_place(text: str, says: str) -> None:
    with pytest.raises(CaseUnreadable) as refused:
        Replay.from_text(text)
    assert says in str(refused.value)


@pytest.mark.parametrize("missing", ["by", "because"])
def test_a_verdict_that_nobody_accepted_by_name_does_not_count_as_accepted(missing: str) -> None:
    whole = a_replay(passes=True, outcome="harmless").to_plain()
    whole["accepted"][missing] = " "
    with pytest.raises(CaseUnreadable, match=f"accepted.{missing}"):
        Replay.from_text(json.dumps(whole))


@pytest.mark.parametrize(("passes", "outcome"), [(True, "harmless"), (False, "real and fixed")])
def test_a_replay_survives_its_file(passes: bool, outcome: str) -> None:
    replay = a_replay(passes=passes, outcome=outcome)
    assert Replay.from_text(replay.text()) == replay
    assert Replay.from_text(json.dumps(replay.to_plain(), indent=2)).text() == replay.text()


def test_words_that_look_like_no_numbers_are_only_words() -> None:
    text = changed(about="NaN and Infinity, and \\ud83d")
    assert Replay.from_text(Replay.from_text(text).text()).about == "NaN and Infinity, and \\ud83d"
