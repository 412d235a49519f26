"""Each gate's backend down, slow, answering nonsense or nothing: nothing is executed that should not be."""

import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from approvals import bounded, claiming, executing, preparing, services, verifying
from approvals.actions.base import Check, CouldNotCheck, Proposal
from approvals.digesting import content_of
from approvals.gates import base
from approvals.models import GateAnswer
from approvals.outcomes import Proposer
from tests.db import writing
from tests.db.writing import World
from tests.fakes import writes

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(
    make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> World:
    return writing.opened(make_user, monkeypatch, settings, tmp_path)


@pytest.mark.parametrize(
    ("mood", "gate"),
    [
        ({"observe": "fail"}, "precondition: observe got no answer"),
        ({"observe": "crash"}, "precondition: the check itself failed"),
        ({"observe": ["nonsense"]}, "precondition: the check itself failed"),
        ({"observe": {}}, "precondition: the check itself failed"),
        ({"precondition": "crash"}, "precondition: the check itself failed"),
        ({"dry_run": "fail"}, "blast radius: dry_run got no answer"),
        ({"dry_run": "crash"}, "blast radius: the check itself failed"),
        ({"dry_run": "empty"}, "blast radius: the dry run says that nothing"),
        ({"dry_run": 17}, "blast radius: the check itself failed"),
    ],
)
def test_a_gate_that_cannot_check_blocks(world: World, mood: dict[str, Any], gate: str) -> None:
    request = world.approved()
    writes.be(**mood)
    assert world.execute(request).state == "refused"
    assert request.outcome.startswith(gate)
    answer = GateAnswer.objects.filter(request=request).last()
    assert answer is not None
    assert answer.answer == "could_not_check"
    assert not writes.calls()


def test_a_gate_that_shuts_after_the_claim_aborts(world: World) -> None:
    request = world.approved()
    content = content_of(request.body)
    execution = claiming.claim(request, content, lease_seconds=60, now=world.now)
    writes.be(observe="fail")
    done = executing.claimed(request, execution, content, lambda: world.now)
    assert (done.state, done.outcome) == ("aborted", "precondition: observe got no answer")
    assert not writes.calls()


def test_the_switch_is_read_again_right_before_the_call(world: World) -> None:
    request = world.approved()
    content = content_of(request.body)
    execution = claiming.claim(request, content, lease_seconds=60, now=world.now)
    world.switch(False, "action:test.set_number")
    assert "writes are off" in claiming.begin_call(execution, now=world.now)
    done = executing.claimed(request, execution, content, lambda: world.now)
    assert done.state == "aborted"
    assert done.outcome.startswith("write switch: writes are off")
    assert not writes.calls()


@pytest.mark.parametrize(
    ("mood", "gate"), [({"observe": {"slow": 5}}, "precondition"), ({"dry_run": {"slow": 5}}, "blast radius")]
)
def test_a_backend_that_does_not_answer_is_waited_for_a_bounded_time(
    world: World, monkeypatch: pytest.MonkeyPatch, mood: dict[str, Any], gate: str
) -> None:
    request = world.approved()
    monkeypatch.setattr(base, "SECONDS", 0.2)
    writes.be(**mood)
    done = world.execute(request)
    assert (done.state, done.outcome) == ("refused", f"{gate}: it brought no answer within 0.2 seconds")
    said = GateAnswer.objects.get(request=request, gate=gate)
    assert said.answer == "could_not_check"
    assert not writes.calls()


def test_a_wait_that_is_bounded_keeps_the_alarm_of_others_and_leaves_other_threads_alone() -> None:
    handler, (left, _) = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    with pytest.raises(CouldNotCheck, match=r"within 0\.05 seconds"), bounded.within(0.05):
        threading.Event().wait(5)
    for _ in range(50):
        with bounded.within(5):
            pass
    with bounded.within(5), ThreadPoolExecutor(1) as threads:
        assert threads.submit(lambda: _waited(0.01)).result() == "waited"
    assert signal.getsignal(signal.SIGALRM) == handler
    assert left == 0 or signal.getitimer(signal.ITIMER_REAL)[0] > left - 100


def _waited(seconds: float) -> str:
    with bounded.within(seconds):
        threading.Event().wait(0.05)
    return "waited"


def test_a_target_that_does_not_answer_is_not_prepared_and_the_worker_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "SECONDS", 0.2)
    writes.be(observe={"slow": 5})
    request = world.prepared()
    assert request.outcome == "cannot be prepared: it brought no answer within 0.2 seconds"


def test_a_slow_gate_outlives_the_approval_and_nothing_is_executed(world: World) -> None:
    request = world.approved()

    def clock() -> Any:
        world.later(minutes=2)
        return world.now

    executing.execute(request.pk, clock=clock)
    executing.execute(request.pk, clock=clock)
    request.refresh_from_db()
    assert request.state in {"refused", "approved", "aborted"}
    assert not writes.calls()


@pytest.mark.parametrize(("part", "state"), [("missing hands", "refused"), ("no secret", "refused")])
def test_without_its_credential_nothing_is_executed(
    world: World, settings: Any, part: str, state: str
) -> None:
    request = world.approved()
    settings.EXECUTOR_SECRETS = "" if part == "missing hands" else '{"numbers": {}}'
    assert world.execute(request).state == state
    assert "numbers" in request.outcome
    assert not writes.calls()


@pytest.mark.parametrize("text", ["{", "[]", "/nowhere/at/all"])
def test_unreadable_secrets_are_not_quoted(world: World, settings: Any, text: str) -> None:
    request = world.approved()
    settings.EXECUTOR_SECRETS = text
    assert world.execute(request).state == "refused"
    assert "EXECUTOR_SECRETS" in request.outcome


def test_an_action_that_is_declared_no_more_is_not_executed(
    world: World, settings: Any, tmp_path: Path
) -> None:
    request = world.approved()
    other = tmp_path / "other.yaml"
    other.write_text("policy: {}\n")
    settings.TRIAGE_ACTIONS = str(other)
    assert world.execute(request).state == "refused"
    assert "not declared any more" in request.outcome


def test_another_policy_than_the_approved_one_supersedes(world: World, settings: Any, tmp_path: Path) -> None:
    request = world.approved()
    other = tmp_path / "other.yaml"
    other.write_text("modules: [tests.fakes.writes]\npolicy: {scale_factor: 9}\n")
    settings.TRIAGE_ACTIONS = str(other)
    assert world.execute(request).state == "refused"
    assert request.outcome.startswith("digest: superseded: the policy has changed")


def test_the_page_shows_every_gate_at_once(world: World) -> None:
    request = world.prepared()
    world.switch(False, "global")
    writes.be(observe="fail")
    said = {each.gate: each.answer.value for each in services.gates_now(request, world.now)}
    assert said["write switch"] == "blocked"
    assert said["precondition"] == "could_not_check"
    assert said["breaker"] == "ok"
    assert len(said) == 8


@pytest.mark.parametrize(
    ("expect", "result"),
    [
        ({}, {"number": {"value": 7}}),
        ({"number.value": 7}, {}),
        ({"number.value": 7}, None),
        ({"number.value": 7}, {"number": {"value": None}}),
        ({"number.value": 0}, {"number": {"value": False}}),
        ({"number.value": 7}, {"number": {"value": "7"}}),
        ({"number.value": None}, {"number": {"value": None}}),
        ({"numbers.1.value": 7}, {"numbers": [{"value": 7}]}),
    ],
)
def test_absent_empty_and_differing_answers_verify_nothing(expect: dict[str, Any], result: Any) -> None:
    assert verifying.unmet(Check("t", {}, expect), result)


def test_what_was_expected_is_verified() -> None:
    assert not verifying.unmet(Check("t", {}, {"numbers.0.value": 7}), {"numbers": [{"value": 7}]})


def test_a_broken_file_of_actions_stops_proposals_in_words(
    world: World, settings: Any, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("calls: 7\n")
    settings.TRIAGE_ACTIONS = str(broken)
    with pytest.raises(services.ProposalRefused, match=r"broken\.yaml:1"):
        world.propose()


def test_a_refused_proposal_of_a_run_does_not_undo_the_others(world: World) -> None:
    proposals = [
        Proposal("no.such.action", {}, "It would help."),
        Proposal("test.set_number", {"name": "a", "value": 7}, "It would help."),
        Proposal("test.set_number", {"name": "a", "value": "seven"}, "It would help."),
    ]
    taken = services.take_proposals(
        proposals, by=Proposer("token:x"), incident=1, investigation=2, team=None, now=world.now
    )
    assert [each.action for each in taken] == ["test.set_number"]
