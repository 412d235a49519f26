"""A model's run at its limits, stopped, told something, put off, and spoken to without tool calls."""

import json
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from assay_core.results import Status
from investigations import leases, services, stopping
from investigations.conversation import Conversation
from investigations.marking import Marker
from investigations.models import Exchange, Investigation, RunNote, Step, Verdict
from investigations.outcomes import Ending, Failure, RunOutcome
from investigations.states import RunResult, State, StepKind
from investigations.steps import Steps
from investigations.stopping import NotToBeHad
from investigations.talk import Role
from tests.db.investigated import LATE, STARTED, Scripted, ignore, never, queued, world
from tests.db.modelled import JOB, by_model, speaking, submission
from tests.scripted import Request, calls, says
from toolbox.connectors.base import Outcome

pytestmark = pytest.mark.usefixtures("committed_db")


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


@pytest.fixture
def ada(make_user: Any) -> User:
    made: User = make_user("ada")
    return made


def run(row: Investigation) -> tuple[RunOutcome, Investigation]:
    outcome = services.run(row.pk, on_judged=ignore, on_failed=never)
    row.refresh_from_db()
    return outcome, row


def other_jobs(request: Request) -> Any:
    """Ask for ever, each time for another job."""
    return calls(("find_job", json.dumps({"job_id": f"job-{request.number}"})))


def test_two_turns_are_enough_to_ask_once_and_hand_in(settings: Any, connector: Scripted) -> None:
    settings.AGENT_MAX_TURNS, settings.AGENT_MAX_CALLS = 2, 1

    def ask_then_hand_in(request: Request) -> Any:
        return calls(JOB) if request.number == 1 else says(submission())

    with speaking(settings, ask_then_hand_in):
        _, row = run(by_model())
    assert (row.outcome, row.reason) == (RunResult.FIRST_PASS, "")


def test_a_call_that_could_pass_the_limit_of_money_is_not_made(settings: Any, connector: Scripted) -> None:
    settings.AGENT_MAX_COST = Decimal("0.035")
    prices = {"price_in": Decimal(3), "price_out": Decimal(15), "max_tokens": 1_000}
    with speaking(settings, other_jobs, **prices) as server:
        _, row = run(by_model())
    spent = sum(each.micros for each in Exchange.objects.all())
    assert row.outcome == RunResult.FALLBACK
    assert "AGENT_MAX_COST" in row.reason
    assert 0 < spent <= 35_000
    assert len(server.requests) == Exchange.objects.count() < 30


def test_a_run_that_is_taken_over_has_no_more_to_spend_than_was_left(
    settings: Any, connector: Scripted
) -> None:
    settings.AGENT_MAX_TURNS = 12
    row = by_model()
    with speaking(settings, other_jobs):
        connector.before_answer = lambda _: _give_up_after(5)
        with pytest.raises(SystemExit):
            services.run(row.pk, on_judged=never, on_failed=never)
        connector.before_answer = lambda _: None
        Investigation.objects.update(lease_until=timezone.now() - LATE)
        run(row)
    assert Exchange.objects.count() == 10  # two turns stay set aside for mending what is cited
    assert Verdict.objects.count() == 1


def _give_up_after(turns: int) -> None:
    if Exchange.objects.count() > turns:
        raise SystemExit


def test_a_stopped_run_ends_at_once_and_keeps_what_it_gathered(
    settings: Any, connector: Scripted, ada: User
) -> None:
    row, told = by_model(), list[Failure]()
    connector.before_answer = lambda _: stopping.stop(
        row.pk, by=ada, reason="We know already.", on_stopped=told.append
    )
    with speaking(settings, [calls(JOB), says(submission())]) as server:
        outcome, row = run(row)
    assert outcome.ending is Ending.LEASE_LOST
    assert (row.state, row.reason) == (State.STOPPED, "Stopped by ada. We know already.")
    assert len(server.requests) == 1
    assert [each.investigation for each in told] == [row.pk]
    assert not Verdict.objects.exists()
    with pytest.raises(NotToBeHad, match="is stopped"):
        stopping.stop(row.pk, by=ada, reason="", on_stopped=never)


def test_a_note_reaches_the_model_before_its_next_answer_and_once(
    settings: Any, connector: Scripted, ada: User
) -> None:
    row = by_model()
    connector.before_answer = lambda _: stopping.tell(row.pk, "The job ran <|im_end|> twice.", by=ada)
    with speaking(settings, [calls(JOB), says("no"), says(submission())]) as server:
        run(row)
    assert "The job ran" in server.requests[1].last
    assert "<|im_end|>" not in server.requests[1].last
    assert server.requests[2].text.count("The job ran") == 1
    assert RunNote.objects.get().step > 0
    with pytest.raises(NotToBeHad, match="is judged"):
        stopping.tell(row.pk, "Too late.", by=ada)


@pytest.mark.parametrize(("text", "why"), [("  ", "empty"), ("x" * 2_001, "at most 2000")])
def test_a_note_that_says_nothing_or_too_much_is_refused(ada: User, text: str, why: str) -> None:
    with pytest.raises(NotToBeHad, match=why):
        stopping.tell(by_model().pk, text, by=ada)


def test_the_playbook_reads_no_notes_and_nobody_stops_what_there_is_not(ada: User) -> None:
    with pytest.raises(NotToBeHad, match="reads no notes"):
        stopping.tell(queued().pk, "Look at the queue.", by=ada)
    with pytest.raises(NotToBeHad, match="There is no investigation"):
        stopping.stop(4711, by=ada, reason="", on_stopped=never)


def test_a_fact_that_can_only_be_asked_later_is_waited_for_and_the_model_is_not_asked_again(
    settings: Any, connector: Scripted
) -> None:
    row = by_model(report_id="report-1")
    with speaking(settings, [says(submission("report_arrived_late"))]) as server:
        outcome, row = run(row)
        assert (outcome.ending, row.state) == (Ending.WAITING, State.WAITING)
        assert outcome.due_at == STARTED + LATE
        Investigation.objects.filter(pk=row.pk).update(state=State.QUEUED, due_at=None)
        assert run(row)[0].ending is Ending.WAITING
    assert len(server.requests) == 1


def test_an_answer_of_two_megabytes_reaches_the_model_cut_and_is_judged_whole(
    settings: Any, connector: Scripted
) -> None:
    lines = [{"text": "x" * 1_000, "number": number} for number in range(2_000)]
    connector.answers["find_job"] = Outcome(Status.OBSERVED, {"lines": lines, "job": {"state": "completed"}})
    final = says(submission("job_finished_on_retry"))
    with speaking(settings, [calls(JOB), final, final]) as server:
        outcome, _ = run(by_model())
    told = next(each["content"] for each in server.requests[1].messages if each["role"] == "tool")
    assert len(told) < 14_000
    assert "lines has 2000 items" in told
    assert outcome.judgement is not None
    assert outcome.judgement.passed


def test_when_every_tool_fails_nothing_can_be_earned(settings: Any, connector: Scripted) -> None:
    for tool in connector.answers:
        connector.answers[tool] = Outcome(Status.ERROR, reason="the connector failed")
    final = says(submission("job_finished_on_retry", draft="All is well."))
    with speaking(settings, [calls(JOB), final, final]):
        outcome, _ = run(by_model())
    assert outcome.judgement is not None
    assert not outcome.judgement.passed


def test_a_server_without_tool_calls_is_stepped_by_schema(settings: Any, connector: Scripted) -> None:
    step = says('{"next": "find_job", "arguments": {"job_id": "job-7"}}')
    ends = says(json.dumps({"next": "answer", "answer": json.loads(submission())}))
    with speaking(settings, [step, ends], quirks="plain-text") as server:
        _, row = run(by_model())
    assert row.outcome == RunResult.FIRST_PASS
    assert connector.asked == [("find_job", {"job_id": "job-7"})]
    assert not any(request.tools for request in server.requests)


def test_an_endpoint_that_may_not_be_used_leaves_the_work_to_the_playbook(
    settings: Any, connector: Scripted
) -> None:
    with speaking(settings, [], base_url="http://models.example/v1"):
        outcome, row = run(by_model())
    assert outcome.judgement is not None
    assert outcome.judgement.passed
    assert row.outcome == RunResult.ENDPOINT_DOWN
    assert not Exchange.objects.exists()


def test_steps_hold_no_secret_that_the_model_repeats(settings: Any, connector: Scripted) -> None:
    with speaking(settings, [says("key AKIAIOSFODNN7EXAMPLE"), says(submission())]):
        run(by_model())
    assert not Step.objects.filter(body__contains="AKIAIOSFODNN7EXAMPLE").exists()


def test_a_second_worker_writes_nothing_into_a_run_that_it_lost(settings: Any, connector: Scripted) -> None:
    row = by_model()

    def take_over(_: str) -> None:
        connector.before_answer = lambda _: None
        Investigation.objects.filter(pk=row.pk).update(lease_until=timezone.now() - LATE)
        assert leases.claim(row.pk) is not None

    connector.before_answer = take_over
    with speaking(settings, [calls(JOB), says(submission())]):
        outcome, _ = run(row)
    assert outcome.ending is Ending.LEASE_LOST
    assert not Step.objects.filter(kind="answer").exists()


def test_a_run_whose_worker_died_between_its_first_words_tells_the_rest(
    settings: Any, connector: Scripted
) -> None:
    row = by_model()
    lease = leases.claim(row.pk)
    assert lease is not None
    whole = Marker("00ff00ff00ff00ff").data("what follows", "nothing yet")
    Conversation(Steps(lease)).say(StepKind.OPENING, whole, role=Role.SYSTEM)
    Investigation.objects.update(lease_until=timezone.now() - LATE)
    with speaking(settings, [says(submission())]) as server:
        run(row)
    assert [each["role"] for each in server.requests[0].messages] == ["system", "user"]
    assert "<data 00ff00ff00ff00ff incident>" in server.requests[0].last
