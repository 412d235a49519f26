"""The written policy by which a model's text is read."""

import json
from typing import Any

import pytest

from investigations import contract
from investigations.contract import parsing
from investigations.contract.parsing import Unparsable
from verdicts.rulebook import Rulebook

BOOK = Rulebook(rules={}, shapes={}, suspended=frozenset(), broken={})
NONE = {"version": 1, "hypothesis": "none_of_these", "findings": [], "draft": "Nothing found."}


def written(**changes: Any) -> str:
    return json.dumps({**NONE, **changes})


def complaint(text: str) -> str:
    with pytest.raises(Unparsable) as refused:
        parsing.held_to(contract.schema(BOOK), text)
    return " ".join(refused.value.complaints)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no text"),
        (" \n\t ", "no text"),
        ("The incident is harmless.", "begins with 'The incident is harmless.'"),
        (f"Here it is: {written()}", "without words around it"),
        (f"{written()} Hope this helps!", "begins with 'Hope this helps!'"),
        (f"{written()}}}", "begins with '}'"),
        (written() + written(), "After the JSON something follows"),
        (written()[:-5], "not JSON"),
        (f"```json\n{written()}\n```\nThat is all.", "begins with '```json"),
        (f"```json\n{written()}\n```\n```json\n{written()}\n```", "begins with '```json"),
        (written()[:-1] + ', "draft": "x"}', "'draft' stands twice"),
        (written(version=1)[:-1] + ', "more": NaN}', "NaN is not a JSON number"),
        (written()[:-1] + ', "more": 1e999}', "too large"),
        (f"[{written()}]", "a list and not an object"),
        (json.dumps(written()), "a text and not an object"),
        ("null", "null and not an object"),
        ("[" * 100_000, "nested too deeply"),
        (written(hypothesis="None_Of_These"), "'None_Of_These' is not one of"),
        (written(hypothesis=" none_of_these"), "is not one of"),
        (written(confidence=0.9), "'confidence' was unexpected"),
        (written(verdict="pass"), "'verdict' was unexpected"),
        (written(findings=[{"fact": "a", "entry": "7"}]), "findings.0.entry: '7' is not of type 'integer'"),
        (written(findings=[{"fact": "a", "entry": 7.0}]), "not of type 'integer'"),
        (written(findings=[{"fact": "a", "entry": True}]), "not of type 'integer'"),
        (written(proposed_actions=[{"action": "restart"}]), "'arguments' is a required property"),
        ("{}", "'version' is a required property"),
        ('{"a":' * 70 + "1" + "}" * 70, "nested deeper"),
        ("{" + " " * 300_000 + "}", "at most 200000"),
    ],
)
def test_what_is_not_one_object_as_asked_for_is_refused_in_words(text: str, said: str) -> None:
    assert said in complaint(text)


def test_every_complaint_is_named_and_not_the_first_alone() -> None:
    said = complaint(written(version=2, confidence=1, findings={}))
    assert "version" in said
    assert "confidence" in said
    assert "findings" in said


@pytest.mark.parametrize(
    "around", ["{}", "\n {} \n", "```json\n{}\n```", "```\n{}\n```", "```json\r\n{}\r\n```"]
)
def test_one_object_is_read_bare_or_in_one_fence(around: str) -> None:
    assert parsing.held_to(contract.schema(BOOK), around.replace("{}", written())) == NONE


def test_a_draft_with_a_fence_of_its_own_does_not_end_the_one_around_it() -> None:
    text = written(draft="Run\n```\nls\n```\nthen look.")
    assert parsing.held_to(contract.schema(BOOK), f"```json\n{text}\n```")["draft"].count("```") == 2


def test_what_no_database_can_hold_is_replaced_and_seen() -> None:
    assert parsing.one_object('{"draft": "a\\u0000b\\ud83dc"}') == {"draft": "a\ufffdb\ufffdc"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "without arguments"),
        ("  ", "without arguments"),
        ('{"job_id": "7', "not JSON"),
        ('{"job_id": "7"}}', "something follows"),
        ('{"job_id": "7", "job_id": "8"}', "twice"),
        ("null", "null and not an object"),
        ('"\\"{}\\""', "a text and not an object"),
        ('{"job_id": NaN}', "NaN"),
        ('{"job_id": "\\ud83d"}', "half of a character"),
        ('{"\\udc00": 1}', "half of a character"),
        ('{"job_id": "a\\u0000b"}', "NUL"),
        ('{"job_id": ' + "[" * 90 + "]" * 90 + "}", "nested"),
        ('{"job_id": ' + "9" * 5000 + "}", "not accepted"),
    ],
)
def test_unreadable_arguments_never_become_an_empty_object(text: str, said: str) -> None:
    with pytest.raises(Unparsable, match=said):
        parsing.arguments(text, {"properties": {"job_id": {}}})


def test_arguments_are_decoded_once_more_at_most() -> None:
    assert parsing.arguments(json.dumps('{"a": 1}'), {"properties": {"a": {}}}) == {"a": 1}
    with pytest.raises(Unparsable):
        parsing.arguments(json.dumps(json.dumps('{"a": 1}')), {"properties": {"a": {}}})


def test_no_arguments_are_accepted_from_a_tool_that_takes_none() -> None:
    assert parsing.arguments("", {"type": "object", "properties": {}}) == {}


def test_proposed_actions_are_kept_apart_from_what_is_judged() -> None:
    proposed = {"action": "restart_job", "arguments": {"job_id": "7"}, "why": "It is stuck."}
    value = parsing.held_to(contract.schema(BOOK), written(proposed_actions=[proposed]))
    assert "proposed_actions" not in contract.submission_of(value, "model").to_plain()
    assert value["proposed_actions"] == [proposed]
