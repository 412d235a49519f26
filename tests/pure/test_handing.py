"""From the first word of a run to its submission."""

import json
from typing import Any

import pytest

from investigations import contract
from investigations.handing import Handed, Handing
from investigations.states import RunResult, StepKind
from investigations.talk import EndpointDown, Finish, Reply
from tests.pure.talks import Stage, find, reply, staged
from verdicts.demand import Demand
from verdicts.rulebook import Rulebook

BOOK = Rulebook(rules={}, shapes={}, suspended=frozenset(), broken={})
SCHEMA = contract.schema(BOOK)
LACKS = [Demand("job_completed", "find_job", {"job_id": "7"})]


def final(**changes: Any) -> Reply:
    whole = {"version": 1, "hypothesis": "none_of_these", "findings": [], "draft": "Looked.", **changes}
    return reply(json.dumps(whole))


def handed(stage: Stage, *, lacks: list[Demand] | None = None) -> Handed:
    return Handing(stage.loop(), SCHEMA, lambda _: lacks or []).handed_in()


def test_a_valid_submission_is_taken_as_it_is() -> None:
    came = handed(staged(reply("", find("7")), final()))
    assert came.value is not None
    assert (came.result, came.value["draft"]) == (RunResult.FIRST_PASS, "Looked.")


def test_a_repair_quotes_the_complaints_and_asks_by_the_schema() -> None:
    stage = staged(final(confidence=1), final())
    assert handed(stage).result is RunResult.REPAIRED
    assert "'confidence' was unexpected" in stage.model.heard[-1][-1].text
    assert stage.model.schemas == [None, SCHEMA]


@pytest.mark.parametrize(
    ("second", "result"),
    [
        (reply("no"), RunResult.FALLBACK),
        (reply("", find("7")), RunResult.FALLBACK),
        (reply("{", finish=Finish.CUT_OFF), RunResult.CUT_OFF),
        (reply("", finish=Finish.REFUSED, refusal="I can't."), RunResult.REFUSED),
        (reply("{}", finish=Finish.UNKNOWN), RunResult.FALLBACK),
    ],
)
def test_there_is_one_repair_and_no_second(second: Reply, result: RunResult) -> None:
    stage = staged(reply("no"), second)
    came = handed(stage)
    assert (came.value, came.result) == (None, result)
    assert came.note
    assert not stage.ask.asked
    assert len(stage.model.heard) == 2


def test_missing_facts_are_named_once_with_their_exact_question() -> None:
    stage = staged(final(), reply("", find("7")), final(draft="Asked."))
    came = handed(stage, lacks=LACKS)
    assert came.value is not None
    assert came.value["draft"] == "Asked."
    assert '{"job_id":"7"}' in stage.model.heard[1][-1].text
    assert stage.notebook.kept()[1].kind is StepKind.MISSING


@pytest.mark.parametrize("after", [[reply("no"), reply("no")], [reply("", find("7"))] * 5])
def test_what_was_handed_in_before_stands_when_the_further_turn_brings_nothing(after: list[Reply]) -> None:
    came = handed(staged(final(), *after), lacks=LACKS)
    assert came.value is not None
    assert came.result in (RunResult.FIRST_PASS, RunResult.REPAIRED)
    assert "brought nothing" in came.note


def test_an_endpoint_that_is_down_is_for_the_caller_until_something_valid_is_there() -> None:
    def down() -> None:
        if len(stage.model.heard) == calls_before:
            raise EndpointDown("The endpoint gave no reply.")

    calls_before = 0
    stage = staged(final(), heed=down)
    with pytest.raises(EndpointDown):
        handed(stage)
    calls_before = 1
    stage = staged(final(), heed=down)
    came = handed(stage, lacks=LACKS)
    assert came.value is not None
    assert "gave no reply" in came.note


@pytest.mark.parametrize("kept", range(1, 7))
def test_a_run_that_is_taken_over_anywhere_hands_in_the_same(kept: int) -> None:
    script = [reply("no"), final(), reply("", find("7")), final(draft="Asked.")]
    first = staged(*script)
    wanted = handed(first, lacks=LACKS)
    steps = list(first.notebook.kept())
    again = staged(*script[sum(step.reply is not None for step in steps[:kept]) :])
    for step in steps[:kept]:
        again.notebook.keep(step)
    assert handed(again, lacks=LACKS) == wanted
    assert [each.message for each in again.notebook.kept()] == [each.message for each in steps]
