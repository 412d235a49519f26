"""A model without tool calls chooses its next step by schema."""

import json

import pytest

from investigations.byschema import BySchema, step_schema
from investigations.prompts import prompt
from investigations.talk import Finish, Message, Reply, Role, ToolCall
from tests.pure.talks import COUNT, FIND, Spoken, reply

SAID = [Message(Role.SYSTEM, "You look."), Message(Role.USER, "Begin.")]


def stepped(text: str) -> tuple[Spoken, Reply]:
    model = Spoken([reply(text)])
    return model, BySchema(model).reply(SAID, tools=(FIND, COUNT))


def test_a_step_is_a_tool_call_like_any_other() -> None:
    model, got = stepped('{"next": "find_job", "arguments": {"job_id": "7"}}')
    assert [(call.name, json.loads(call.arguments)) for call in got.calls] == [("find_job", {"job_id": "7"})]
    assert got.text == ""
    assert model.schemas == [step_schema((FIND, COUNT))]
    assert "find_job" in model.heard[0][0].text


def test_a_step_without_arguments_has_none() -> None:
    assert stepped('{"next": "count_all"}')[1].calls[0].arguments == ""


def test_an_answer_is_the_text() -> None:
    got = stepped('{"next": "answer", "answer": {"version": 1}}')[1]
    assert (got.calls, got.text) == ((), '{"version": 1}')


@pytest.mark.parametrize(
    "text", ["I would ask find_job.", '{"next": 7}', '{"next": "find_job"} and more', "[]"]
)
def test_what_is_no_step_stays_as_it_was_said(text: str) -> None:
    got = stepped(text)[1]
    assert (got.calls, got.text) == ((), text)


def test_a_step_that_was_cut_off_stays_cut_off() -> None:
    model = Spoken([reply('{"next": "find_job", "arguments": {}}', finish=Finish.CUT_OFF)])
    assert BySchema(model).reply(SAID, tools=(FIND,)).finish is Finish.CUT_OFF


def test_calls_and_answers_are_told_in_words_and_turns_alternate() -> None:
    model = Spoken([reply("{}")])
    calls = (ToolCall("a", "find_job", '{"job_id": "7"}'), ToolCall("b", "find_job", '{"job_id": "8"}'))
    said = [
        *SAID,
        Message(Role.ASSISTANT, "", calls=calls),
        Message(Role.TOOL, "Entry 1", answers="a"),
        Message(Role.TOOL, "Entry 2", answers="b"),
    ]
    BySchema(model).reply(said, tools=(FIND,))
    heard = model.heard[0]
    assert [each.role for each in heard] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER]
    assert heard[-1].text == "Entry 1\n\nEntry 2"
    assert '"next": "find_job"' in heard[2].text
    assert not any(each.calls or each.answers for each in heard)


def test_a_repair_is_asked_for_by_its_own_schema() -> None:
    model = Spoken([reply("{}")])
    BySchema(model).reply(SAID, tools=(FIND,), schema={"type": "object"})
    assert model.schemas == [{"type": "object"}]


def test_what_every_run_is_told_alike_stands_first_so_that_a_server_reads_it_once() -> None:
    told = stepped('{"next": "count_all"}')[0].heard[0][0].text
    assert told.index("find_job") < told.index("You look.")
    one, other = (
        prompt("investigator", nonce=nonce, schema="{}", hypotheses=nonce) for nonce in ("a" * 16, "b" * 16)
    )
    told_alike = one.index("a" * 16)
    assert one[:told_alike] == other[:told_alike]
    assert "What you hand in" in one[:told_alike]
