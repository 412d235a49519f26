"""A model's run from its first word to the verdict, with a scripted endpoint on a real socket."""

import json
from typing import Any

import pytest

from investigations import services
from investigations.models import Exchange, Investigation, Step, Submitted, Verdict
from investigations.outcomes import Ending, RunOutcome
from investigations.states import RunResult, State
from tests.db.investigated import Scripted, ignore, never, world
from tests.db.modelled import ERRORS, JOB, by_model, speaking, submission
from tests.scripted import calls, says, status

pytestmark = pytest.mark.usefixtures("committed_db")


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def run(row: Investigation) -> tuple[RunOutcome, Investigation]:
    outcome = services.run(row.pk, on_judged=ignore, on_failed=never)
    row.refresh_from_db()
    return outcome, row


def test_a_model_asks_hands_in_and_code_decides(settings: Any, connector: Scripted) -> None:
    final = submission("job_finished_on_retry", draft="The job finished.")
    with speaking(settings, [calls(JOB, ERRORS), says(final)]) as server:
        outcome, row = run(by_model())
    assert outcome.judgement is not None
    assert outcome.judgement.passed
    assert (row.state, row.outcome, row.model) == (State.JUDGED, RunResult.FIRST_PASS, "scripted-1")
    assert len(server.requests) == Exchange.objects.count() == 2
    assert [step.kind for step in Step.objects.all()] == [
        "opening", "opening", "reply", "answer", "answer", "reply",
    ]  # fmt: skip
    assert {row.prompt_digest, row.contract_digest, row.rulebook_digest}.isdisjoint({""})
    answers = [each for each in server.requests[1].messages if each["role"] == "tool"]
    assert [each["tool_call_id"] for each in answers] == ["call_1", "call_2"]
    assert '"completed"' in answers[0]["content"]
    assert json.loads(Submitted.objects.get().body)["draft"] == "The job finished."


def test_what_the_model_did_not_ask_is_named_once_and_then_asked_by_code(
    settings: Any, connector: Scripted
) -> None:
    final = says(submission("job_finished_on_retry"))
    with speaking(settings, [final, final]) as server:
        outcome, row = run(by_model())
    assert "job_completed" in server.requests[1].last
    assert "no_recurrence" in server.requests[1].last
    assert outcome.judgement is not None
    assert outcome.judgement.passed
    assert row.outcome == RunResult.FIRST_PASS
    assert len(connector.asked) == 2


def test_a_malformed_submission_is_repaired_once_with_the_complaints_quoted(
    settings: Any, connector: Scripted
) -> None:
    with speaking(settings, [says("It is harmless."), says(submission())]) as server:
        _, row = run(by_model())
    assert row.outcome == RunResult.REPAIRED
    assert "It is harmless." in server.requests[1].last


@pytest.mark.parametrize(
    ("script", "result"),
    [
        ([says("no"), says("no again")], RunResult.FALLBACK),
        ([calls(JOB)] * 4, RunResult.FALLBACK),
    ],
)
def test_without_a_valid_submission_a_person_looks_with_what_was_gathered(
    settings: Any, connector: Scripted, script: list[Any], result: RunResult
) -> None:
    with speaking(settings, script) as server:
        outcome, row = run(by_model())
    assert outcome.ending is Ending.JUDGED
    assert (row.state, row.outcome) == (State.JUDGED, result)
    assert row.reason
    verdict = Verdict.objects.get()
    assert (verdict.passed, verdict.hypothesis) == (False, "none_of_these")
    assert server.overrun == 0
    assert not Submitted.objects.exists()


def test_the_playbook_takes_over_from_an_endpoint_that_is_down(settings: Any, connector: Scripted) -> None:
    with speaking(settings, lambda _: status(500), tries=2) as server:
        outcome, row = run(by_model())
    assert len(server.requests) == 2
    assert outcome.judgement is not None
    assert outcome.judgement.passed
    assert row.outcome == RunResult.ENDPOINT_DOWN
    assert "The playbook gathered instead." in row.reason
