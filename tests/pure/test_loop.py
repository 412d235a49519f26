"""The loop: the model asks, the tools answer, until it answers without asking."""

import dataclasses

import pytest

from assay_core.results import Status
from investigations.outcomes import BudgetSpent
from investigations.repeats import Repeating
from investigations.states import StepKind
from investigations.talk import Finish, Role, ToolCall
from tests.pure.talks import LIMITS, Stage, find, reply, staged


def told(stage: Stage) -> list[str]:
    """Return what the model was told of its calls at last."""
    return [each.text for each in stage.model.heard[-1] if each.role is Role.TOOL]


@pytest.mark.parametrize("finish", [Finish.CUT_OFF, Finish.UNKNOWN])
def test_calls_of_a_reply_that_did_not_end_are_not_run(finish: Finish) -> None:
    stage = staged(reply("", find("7"), finish=finish), reply("done"))
    assert stage.loop().until_answer().text == "done"
    assert not stage.ask.asked
    assert [tool for tool, _ in stage.misasked] == ["find_job"]
    assert told(stage)[0].startswith("This call was not run.")


def test_a_refusal_ends_the_talk_and_its_calls_are_not_run() -> None:
    stage = staged(reply("", find("7"), finish=Finish.REFUSED))
    assert stage.loop().until_answer().finish is Finish.REFUSED
    assert not stage.ask.asked


def test_each_call_gets_one_answer_by_its_id() -> None:
    calls = [find("7", call="a"), ToolCall("b", "find_job", "{"), find("9", call="c")]
    stage = staged(reply("", *calls), reply("done"))
    stage.loop().until_answer()
    answers = [each.answers for each in stage.model.heard[-1] if each.role is Role.TOOL]
    assert answers == ["a", "b", "c"]
    assert [arguments["job_id"] for _, arguments in stage.ask.asked] == ["7", "9"]


def test_calls_without_ids_of_their_own_get_some() -> None:
    stage = staged(reply("", find("7", call=""), find("8", call="x"), find("9", call="x")), reply("done"))
    stage.loop().until_answer()
    answers = [each.answers for each in stage.model.heard[-1] if each.role is Role.TOOL]
    assert len(set(answers)) == 3
    assert "" not in answers


def test_an_unknown_tool_is_recorded_without_arguments_and_the_known_ones_are_named() -> None:
    stage = staged(reply("", ToolCall("a", "kubectl_delete", '{"name": "db"}')), reply("done"))
    stage.loop().until_answer()
    assert stage.ask.asked == [("kubectl_delete", {})]
    assert "The tools are: find_job, count_all." in told(stage)[0]


def test_a_tool_that_takes_nothing_may_be_called_with_nothing() -> None:
    stage = staged(reply("", ToolCall("a", "count_all", "")), reply("done"))
    stage.loop().until_answer()
    assert stage.ask.asked == [("count_all", {})]


def test_the_same_question_is_answered_from_the_record_and_a_third_time_ends_the_run() -> None:
    stage = staged(*[reply("", find("7", call=f"c{number}")) for number in range(5)])
    with pytest.raises(Repeating, match="find_job"):
        stage.loop().until_answer()
    assert len(stage.ask.asked) == 1
    assert "entry 7 is its answer" in told(stage)[-1]


def test_when_no_calls_are_left_the_model_is_told_to_submit() -> None:
    limits = dataclasses.replace(LIMITS, calls=1)
    stage = staged(reply("", find("7", call="a"), find("8", call="b")), reply("done"), limits=limits)
    assert stage.loop().until_answer().text == "done"
    assert len(stage.ask.asked) == 1
    assert "AGENT_MAX_CALLS" in told(stage)[-1]
    assert "Submit now" in told(stage)[-1]


def test_the_turn_past_the_limit_is_not_made() -> None:
    limits = dataclasses.replace(LIMITS, turns=3)
    stage = staged(*[reply("", find(str(number), call=f"c{number}")) for number in range(9)], limits=limits)
    with pytest.raises(BudgetSpent):
        stage.loop().until_answer()
    assert len(stage.model.heard) == 3


def test_what_a_failing_tool_says_is_data_too() -> None:
    stage = staged(reply("", find("7")), reply("done"))
    stage.ask.status = Status.ERROR
    stage.loop().until_answer()
    assert "answered error" in told(stage)[0]
    assert "<data 00ff00ff00ff00ff reason>" in told(stage)[0]


def test_a_large_answer_is_cut_for_the_model_and_says_so() -> None:
    stage = staged(reply("", find("7")), reply("done"))
    stage.ask.result = {"lines": ["x" * 1_000 for _ in range(2_000)]}
    stage.loop().until_answer()
    assert len(told(stage)[0]) < 14_000
    assert "lines has 2000 items" in told(stage)[0]


def test_the_oldest_answers_make_room_and_keep_their_place() -> None:
    rounds = [reply("", find(str(number), call=f"c{number}")) for number in range(1, 7)]
    stage = staged(*rounds, reply("done"), room=16_000)
    stage.ask.result = {"lines": ["x" * 1_000 for _ in range(20)]}
    stage.loop().until_answer()
    said = told(stage)
    assert len(said) == 6
    assert said[0].startswith("[Left out here to save room. Entry 1")
    assert "xxx" in said[-1]


def test_a_talk_that_does_not_fit_even_so_ends_the_run() -> None:
    loop = staged(reply("done"), room=10).loop()
    loop.talk.say(StepKind.OPENING, "x" * 1_000)
    with pytest.raises(BudgetSpent, match="reads at most 10"):
        loop.until_answer()


@pytest.mark.parametrize("kept", range(1, 7))
def test_whoever_takes_over_goes_on_where_it_was_left(kept: int) -> None:
    """Killed after any number of kept steps: nothing that was answered is asked again."""
    script = [
        reply("", find("7", call="a"), find("8", call="b")),
        reply("", find("9", call="c")),
        reply("done"),
    ]
    first = staged(*script)
    first.loop().until_answer()
    steps = list(first.notebook.kept())
    assert len(steps) == 6
    again = staged(*script[sum(step.reply is not None for step in steps[:kept]) :])
    for step in steps[:kept]:
        again.notebook.keep(step)
    assert again.loop().until_answer().text == "done"
    assert [each.message for each in again.notebook.kept()] == [each.message for each in steps]
    answered = sum(step.kind is StepKind.ANSWER for step in steps[:kept])
    assert len(again.ask.asked) == 3 - answered


def test_an_answer_that_a_killed_worker_could_not_pass_on_is_not_asked_for_again() -> None:
    stage = staged(reply("", find("7")), reply("done"))
    loop = stage.loop()
    left = stage.ask("find_job", {"job_id": "7"})
    loop.tools.left['["find_job",{"job_id":"7"}]'] = left
    loop.until_answer()
    assert len(stage.ask.asked) == 1
    assert told(stage)[0].startswith("Entry 7:")
