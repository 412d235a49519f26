"""What approvals are held to in a write (A12 to A22), and the switch, breakers and probes beside."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from accounts.roles import Role
from approvals import breakers, preparing, services, sweeping, switch, verifying
from approvals.actions.base import Proposal
from approvals.models import ActionRequest, Execution, GateAnswer, WriteSwitch
from approvals.outcomes import Proposer
from tests.db import writing
from tests.db.writing import WHY, World
from tests.fakes import writes

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(
    make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> World:
    return writing.opened(make_user, monkeypatch, settings, tmp_path)


def refused(world: World, request: ActionRequest, person: User, **more: Any) -> str:
    """Decide, expect a refusal, and return its words once they are found in the audit log."""
    with pytest.raises(services.DecisionRefused) as caught:
        world.decide(request, person, **more)
    kept = ActionRequest.objects.get(pk=request.pk)
    assert kept.state == request.state
    return str(caught.value)


# --- A12, A22: idempotent and no replay ---


def test_a12_the_target_is_given_one_token_of_the_request(world: World) -> None:
    first, second = world.approved(), world.approved(name="b")
    world.execute(first)
    world.execute(second)
    keys = [call["key"] for call in writes.calls()]
    assert len(set(keys)) == 2
    assert keys[0] == Execution.objects.get(request=first).key


def test_a22_a_request_is_claimed_once(world: World) -> None:
    request = world.approved()
    world.execute(request)
    ActionRequest.objects.filter(pk=request.pk).update(state="approved", ended_at=None)
    world.execute(request)
    assert len(writes.calls()) == 1


# --- A13: preconditions ---


def test_a13_a_changed_target_stops_the_write(world: World) -> None:
    request = world.approved()
    writes.set_state(a=3)
    assert world.execute(request).state == "refused"
    assert request.outcome.startswith("precondition: the target changed")


# --- A14: dry run ---


def test_a14_a_wider_footprint_than_the_approved_one_stops_the_write(world: World) -> None:
    request = world.approved()
    assert json.loads(request.body)["footprint"]["objects"] == ["number:a"]
    writes.be(dry_run="wider")
    assert world.execute(request).state == "refused"
    assert request.outcome.startswith("blast radius: the write would touch now what was not approved")


# --- A15: the real thing is shown ---


def test_a15_the_body_is_the_canonical_text_of_what_is_executed(world: World) -> None:
    request = world.prepared(name="é\u202e\u2066")
    body = json.loads(request.body)
    assert body["arguments"] == {"name": "é\u202e\u2066", "value": 7}
    assert WHY not in request.body
    assert request.reason == WHY


# --- A16: unknown ---


def test_a16_a_broken_call_is_unknown_locks_the_target_and_is_settled_by_a_person(world: World) -> None:
    request, other = world.approved(), world.approved(value=9)
    third = world.prepared(value=10)
    writes.be(execute="break off")
    assert world.execute(request).state == "unknown"
    writes.be()
    assert world.execute(request).state == "unknown"
    assert world.execute(other).state == "refused"
    assert other.outcome.startswith(f"target: request {request.pk} is unknown")
    assert f"became of request {request.pk}" in refused(world, third, world.person(Role.ON_CALL))
    with pytest.raises(services.MoveRefused, match="nothing to roll back"):
        services.roll_back(
            request.pk, person=world.person(Role.ON_CALL), because="it may have run", now=world.now
        )
    settled = services.settle(
        request.pk, "failed", person=world.person(Role.ON_CALL), because="I looked: it is 0", now=world.now
    )
    assert settled.state == "failed"
    assert "I looked" in settled.outcome


# --- A17: rollback ---


def test_a17_a_rollback_is_a_request_approved_with_the_first_behind_the_same_gates(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = world.approved()
    child = ActionRequest.objects.get(undoes=request)
    assert json.loads(request.body)["rollback"]["digest"] == child.digest
    assert (child.state, child.decisions.count()) == ("approved", 1)
    assert world.execute(child).state == "approved", "nobody has asked for it"
    assert world.execute(request).state == "succeeded"
    verifying.verify(request.pk, now=world.now)
    world.switch(False, "global")
    _roll_back(world, request)
    assert world.execute(child).state == "refused"
    assert child.outcome.startswith("write switch: writes are off")


def test_a17_a_rollback_puts_back_what_was_there(world: World) -> None:
    writes.set_state(a=3)
    request = world.approved()
    assert world.execute(request).state == "succeeded"
    verifying.verify(request.pk, now=world.now)
    child = _roll_back(world, request)
    assert world.execute(child).state == "succeeded", child.outcome
    assert writes.state() == {"a": 3}


def test_a17_a_target_that_moved_on_is_not_rolled_back(world: World) -> None:
    request = world.approved()
    world.execute(request)
    verifying.verify(request.pk, now=world.now)
    child = _roll_back(world, request)
    writes.set_state(a=99)
    assert world.execute(child).state == "refused"
    assert writes.state() == {"a": 99}


def _roll_back(world: World, request: ActionRequest) -> ActionRequest:
    return services.roll_back(
        request.pk, person=world.person(Role.ON_CALL), because="it made things worse", now=world.now
    )


# --- A18: verify ---


def test_a18_a_write_that_nobody_can_see_is_unverified(world: World) -> None:
    request = world.approved()
    world.execute(request)
    verifying.verify(request.pk, now=world.now)
    request.refresh_from_db()
    assert (request.state, request.verification) == ("succeeded", "unverified")
    assert "find_number answered refused" in request.verified_how


def test_a18_an_action_without_a_check_is_unverified(world: World) -> None:
    writes.be(verify="none")
    request = world.approved()
    world.execute(request)
    verifying.verify(request.pk, now=world.now)
    request.refresh_from_db()
    assert request.verification == "unverified"


# --- A19: fatigue ---


def test_a19_an_equal_proposal_is_the_open_one(world: World) -> None:
    assert world.propose().pk == world.propose().pk


def test_a19_open_requests_are_capped(
    make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    world = writing.opened(make_user, monkeypatch, settings, tmp_path, "{open_per_team: 2}")
    world.propose(value=1)
    world.propose(value=2)
    with pytest.raises(services.ProposalRefused, match="wait for a decision"):
        world.propose(value=3)


def test_a19_a_denied_call_is_not_asked_again_in_the_same_run(world: World) -> None:
    def propose() -> ActionRequest:
        return services.propose(
            Proposal("test.set_number", {"name": "a", "value": 7}, WHY), by=Proposer("model"),
            incident=5, investigation=6, cites=(), now=world.now,
        )  # fmt: skip

    request = propose()
    preparing.prepare(request.pk, now=world.now)
    request.refresh_from_db()
    world.decide(request, world.person(Role.ON_CALL), "deny")
    with pytest.raises(services.ProposalRefused, match="was denied"):
        propose()


# --- A20: an agent only proposes ---


def test_a20_a_proposal_does_nothing_by_itself(world: World) -> None:
    request = world.prepared()
    assert world.execute(request).state == "proposed"
    assert not writes.calls()


# --- A21: silence means no ---


def test_a21_a_question_that_nobody_answers_is_answered_no(world: World) -> None:
    request = world.prepared()
    world.later(days=1)
    sweeping.sweep(world.now)
    assert world.execute(request).state == "expired"
    assert ActionRequest.objects.get(undoes=request).state == "expired"
    assert not writes.calls()


# --- what stands besides: switch, breakers, probes ---


def test_a_fresh_install_executes_nothing(world: World) -> None:
    request = world.approved()
    WriteSwitch.objects.all().delete()
    assert world.execute(request).state == "refused"
    assert request.outcome.startswith("write switch: writes are off for global")


def test_the_environment_forces_writes_off(world: World, settings: Any) -> None:
    request = world.approved()
    settings.WRITES_ENABLED = False
    assert world.execute(request).state == "refused"
    with pytest.raises(services.MoveRefused, match="WRITES_ENABLED=0"):
        services.flip_switch(
            "global", True, person=world.person(Role.MANAGER), because="go on", now=world.now
        )


def test_two_people_switch_on_and_one_switches_off(world: World) -> None:
    manager, administrator = world.person(Role.MANAGER), world.person(Role.ADMINISTRATOR)

    def flip(on: bool, person: User) -> WriteSwitch:
        return services.flip_switch("global", on, person=person, because="as agreed", now=world.now)

    assert not flip(False, manager).writes_enabled
    assert not flip(True, manager).writes_enabled
    with pytest.raises(services.MoveRefused, match="second person"):
        flip(True, manager)
    assert flip(True, administrator).writes_enabled
    assert not flip(False, manager).writes_enabled
    flip(True, manager)
    world.later(minutes=16)
    assert not flip(True, administrator).writes_enabled, "the first has waited too long"
    with pytest.raises(services.MoveRefused, match="managers and administrators"):
        flip(False, world.person(Role.ON_CALL))
    assert switch.standing(["global"]).off == ("global",)


def test_failures_open_the_breaker_and_only_a_named_person_closes_it(world: World) -> None:
    writes.be(execute="refuse")
    first, second, request = (world.approved(value=value) for value in (1, 2, 3))
    for each in (first, second):
        assert world.execute(each).state == "failed"
    writes.be()
    assert world.execute(request).state == "refused"
    assert request.outcome.startswith("breaker: open since")
    said = refused(world, world.prepared(value=5), world.person(Role.ON_CALL))
    assert said.startswith("The breaker would refuse it: open since")
    found = breakers.open_on("test.set_number", "number:a")
    assert found is not None
    with pytest.raises(services.MoveRefused, match="managers and administrators"):
        services.close_breaker(
            found.pk, person=world.person(Role.ON_CALL), because="it is fine", now=world.now
        )
    world.later(seconds=1)
    closed = services.close_breaker(
        found.pk, person=world.person(Role.MANAGER), because="the target is repaired", now=world.now
    )
    assert closed.closed_by == world.person(Role.MANAGER).actor
    assert world.execute(world.approved(value=4)).state == "succeeded"


@pytest.mark.parametrize(
    ("shut", "says"),
    [
        ("all", "The write switch would refuse it: writes are off for global"),
        ("action", "writes are off for action:test.set_number"),
        ("environment", "WRITES_ENABLED=0"),
        ("undeclared", "The digest would refuse it: the action test.set_number is not declared any more"),
        ("policy", "the policy has changed since it was proposed"),
        ("body", "superseded"),
    ],
)
def test_what_would_be_refused_is_not_approved_and_can_be_denied(
    world: World, settings: Any, tmp_path: Path, shut: str, says: str
) -> None:
    request, person = world.prepared(), world.person(Role.ON_CALL)
    if shut in ("all", "action"):
        world.switch(False, "global" if shut == "all" else "action:test.set_number")
    if shut == "environment":
        settings.WRITES_ENABLED = False
    if shut in ("undeclared", "policy"):
        file = tmp_path / "other.yaml"
        other = writing.FILE.replace("{POLICY}", "{open_per_team: 9}")
        file.write_text("policy: {}" if shut == "undeclared" else other)
        settings.TRIAGE_ACTIONS = str(file)
    if shut == "body":
        ActionRequest.objects.filter(pk=request.pk).update(target="number:b")
    said = services.can_decide(person, ActionRequest.objects.get(undoes=None), world.step(), world.now)
    assert says in said
    assert said == refused(world, request, person)
    assert world.decide(request, person, "deny").state == "denied"


@pytest.mark.parametrize("state", ["missing", "unfit", "old"])
def test_an_unproven_credential_disables_approve_in_words(world: World, state: str) -> None:
    from approvals.models import CredentialProbe

    request = world.prepared()
    if state == "missing":
        CredentialProbe.objects.all().delete()
    if state == "unfit":
        world.probe(is_ok=False)
    if state == "old":
        world.later(seconds=301)
    said = services.can_decide(world.person(Role.ON_CALL), request, world.step(), world.now)
    assert "The write credential numbers" in said
    assert said == refused(world, request, world.person(Role.ON_CALL))


def test_nobody_decides_what_is_not_prepared(world: World) -> None:
    request = world.propose()
    assert "nothing to decide yet" in refused(world, request, world.person(Role.ON_CALL))


def test_every_gate_is_recorded_with_its_sentence(world: World) -> None:
    request = world.approved()
    world.execute(request)
    phases = GateAnswer.objects.filter(request=request).values_list("phase", "gate", "answer")
    assert [gate for phase, gate, _ in phases if phase == "before claim"] == [
        "digest", "write switch", "calendar", "target", "precondition", "blast radius", "breaker", "rubric",
    ]  # fmt: skip
    assert [answer for phase, gate, answer in phases if gate == "rubric"] == ["skipped_by_policy"] * 2


def test_a_high_risk_is_not_executed_without_a_grader(world: World) -> None:
    request = world.approved("test.set_number_high")
    assert world.execute(request).state == "refused"
    assert request.outcome.startswith("rubric: ")
    assert not writes.calls()
