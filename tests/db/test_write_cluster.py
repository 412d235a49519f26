"""Writes to deployments from proposal to verification, on a fake cluster: what is done and what is not.

What each answer of the cluster means, and what its credential may do, is tested beside its transport.
"""

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from accounts.roles import Role
from approvals import probing, services, verifying
from approvals.gates import order, rubric
from approvals.models import ActionRequest, CredentialProbe
from approvals.outcomes import DecisionRefused, ProposalRefused
from tests.db import clustering
from tests.db.clustering import ClusterWorld, at_the_patch, patches
from tests.fakes.kubernetes_writes import SETS, WRITER
from tests.fakes.server import Asked

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(
    make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> Iterator[ClusterWorld]:
    with clustering.opened(make_user, monkeypatch, settings, tmp_path) as made:
        yield made


def verified(world: ClusterWorld, request: ActionRequest) -> ActionRequest:
    verifying.verify(request.pk, now=world.now)
    request.refresh_from_db()
    return request


def test_a_wildcard_another_namespace_and_zero_are_not_proposed(world: ClusterWorld) -> None:
    for strange in ({"name": "*"}, {"namespace": "kube-system"}, {"replicas": 0}):
        with pytest.raises(ProposalRefused, match="not as its schema has them"):
            world.ask("scale", **{"replicas": 5, **strange})


def test_limits_hold_whatever_was_approved(world: ClusterWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Factor, only replica, protected targets, and the namespaces of the policy beside the action's."""
    world.fake.deploy("ledger-main")
    world.fake.deploy("single", replicas=1)
    elsewhere = world.fake.one() | {"metadata": {**world.fake.one()["metadata"], "namespace": "mail"}}
    world.fake.objects[("deployments", "mail", "web")] = elsewhere
    wanted: list[tuple[str, dict[str, Any], str]] = [
        ("scale", {"replicas": 33}, "it would scale from 3 to 33, by more than the factor 10"),
        ("scale", {"replicas": 11, "name": "single"}, "from 1 to 11, by more than the factor 10"),
        ("rollout_restart", {"name": "single"}, "the target has one replica only"),
        ("scale", {"replicas": 5, "name": "ledger-main"}, "deployment:shop/ledger-main is protected"),
    ]
    for action, arguments, says in wanted:
        request, person = world.ask(action, **arguments), world.person(Role.ON_CALL)
        with pytest.raises(DecisionRefused, match="The blast radius would refuse it"):
            world.decide(request, person)
        with monkeypatch.context() as patch:
            patch.setattr(order, "LASTING", ())  # as if somebody had got past the page's door
            done = world.execute(world.decide(request, person))
        assert (done.state, done.outcome[:14]) == ("refused", "blast radius: "), done.outcome
        assert says in done.outcome
    assert patches(world) == []
    outside = world.ask("scale", replicas=5, namespace="mail")
    assert not outside.digest
    assert "mail" in outside.outcome


def test_a_conflict_at_the_patch_fails_and_is_not_tried_again(world: ClusterWorld) -> None:
    request = world.agreed("scale", replicas=5)

    def late(connection: socket.socket, asked: Asked) -> None:
        world.fake.change(replicas=4)
        connection.sendall(world.fake(asked).bytes())

    at_the_patch(world, late)
    done = world.execute(world.execute(request))
    assert done.state == "failed"
    assert "it changed while it was to be written (HTTP 409)" in done.outcome
    assert (len(patches(world)), world.fake.one()["spec"]["replicas"]) == (1, 4)


def test_half_an_answer_is_unknown_and_locks_the_deployment(world: ClusterWorld) -> None:
    request, other = world.agreed("scale", replicas=5), world.agreed("rollout_restart")
    at_the_patch(world, lambda connection, asked: connection.sendall(b"HTTP/1.1 20"))
    done = world.execute(world.execute(request))
    assert done.state == "unknown"
    assert "broke after the write was sent" in done.outcome
    at_the_patch(world, None)
    world.execute(other)
    assert (other.state, other.outcome[:8]) == ("refused", "target: ")
    assert len(patches(world)) == 1


@pytest.mark.parametrize(
    ("happens", "says"),
    [
        (lambda fake: fake.change(replicas=4), "the target changed"),
        (lambda fake: fake.change(paused=True), "the target changed"),
        (lambda fake: fake.one()["metadata"].update(uid="another"), "the target changed"),
        (lambda fake: fake.objects.pop(("deployments", "shop", "web")), "cluster_deployment answered empty"),
        (lambda fake: fake.tokens.clear(), "cluster_deployment answered"),
    ],
    ids=["scaled", "paused", "made anew", "deleted", "no read credential"],
)
def test_what_happens_between_approval_and_execution_stops_it(
    world: ClusterWorld, happens: Callable[[Any], Any], says: str
) -> None:
    request = world.agreed("scale", replicas=5)
    happens(world.fake)
    done = world.execute(request)
    assert done.state == "refused"
    assert done.outcome.startswith(f"precondition: {says}")
    assert patches(world) == []


def test_a_rollout_that_is_under_way_or_stands_still_is_left_alone(world: ClusterWorld) -> None:
    world.fake.change(paused=True)
    assert "paused" in world.ask("rollout_restart").outcome
    assert "paused" in world.ask("rollout_undo").outcome
    world.fake.one()["status"]["updatedReplicas"] = 1
    world.fake.change(paused=False)
    world.fake.one()["status"]["updatedReplicas"] = 1
    assert world.ask("rollout_restart").outcome == "precondition: a rollout is under way already"
    world.fake.sleeps = True
    world.fake.change(replicas=4)
    assert "has not taken up the last change yet" in world.ask("scale", replicas=5).outcome


def test_a_refused_dry_run_prepares_nothing_and_nobody_can_approve_it(world: ClusterWorld) -> None:
    world.fake.rules["shop"] = [{**WRITER, "verbs": ["get"]}]
    request = world.ask("scale", replicas=5)
    assert request.outcome.startswith("cannot be prepared: the dry run: the cluster forbids it (HTTP 403)")
    with pytest.raises(DecisionRefused, match="nothing to decide yet"):
        world.decide(request, world.person(Role.ON_CALL))


def test_a_scaling_is_tried_shown_done_once_seen_and_put_back(world: ClusterWorld) -> None:
    request = world.ask("scale", replicas=5)
    body = json.loads(request.body)
    assert body["footprint"] == {
        "objects": ["deployment:shop/web"], "namespaces": ["shop"],
        "before": {"replicas": 3}, "after": {"replicas": 5},
    }  # fmt: skip
    assert body["rollback"]["arguments"] == {"namespace": "shop", "name": "web", "replicas": 3}
    world.fake.beat()  # a heartbeat is no change
    done = world.execute(world.decide(request, world.person(Role.ON_CALL)))
    assert (done.state, verified(world, done).verification) == ("succeeded", "verified"), done.verified_how
    (patch,) = patches(world)
    assert [each["path"] for each in patch.body] == [
        "/metadata/resourceVersion", "/metadata/annotations/assay~1write", "/spec/replicas",
    ]  # fmt: skip
    person = world.person(Role.ON_CALL)
    child = services.roll_back(done.pk, person=person, because="It was of no use.", now=world.now)
    world.execute(child)
    assert (child.state, verified(world, child).verification) == ("succeeded", "verified"), child.outcome
    assert world.fake.one()["spec"]["replicas"] == 3


def test_a_rollback_of_what_somebody_changed_since_is_refused(world: ClusterWorld) -> None:
    done = verified(world, world.done("scale", replicas=5))
    person = world.person(Role.ON_CALL)
    child = services.roll_back(done.pk, person=person, because="It was of no use.", now=world.now)
    world.fake.change(replicas=6)
    assert world.execute(child).outcome.startswith("precondition: the target changed")
    assert world.fake.one()["spec"]["replicas"] == 6


def test_an_undo_takes_two_people_and_a_grader(world: ClusterWorld) -> None:
    request = world.agreed("rollout_undo")
    assert request.risk == "high"
    assert "secret of" not in request.body
    done = world.execute(request)
    assert (done.state, done.outcome[:8]) == ("refused", "rubric: ")
    assert patches(world) == []


def test_an_undo_that_is_let_through_is_seen_and_put_back(
    world: ClusterWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its gates stand as ever, but the grader's, which is asked in tests of its own."""
    gates = tuple(each for each in order.GATES if each[0] != rubric.NAME)
    monkeypatch.setattr(order, "GATES", gates)
    done = world.done("rollout_undo")
    assert (done.state, verified(world, done).verification) == ("succeeded", "verified"), done.verified_how
    person = world.person(Role.ON_CALL)
    child = services.roll_back(done.pk, person=person, because="It was of no use.", now=world.now)
    world.execute(child)
    assert (child.state, verified(world, child).verification) == ("succeeded", "verified"), child.outcome
    assert world.fake.one()["spec"]["template"]["spec"]["containers"][0]["image"] == "web:2"


def test_a_restart_says_that_nothing_leads_back_and_a_stuck_one_is_unverified(world: ClusterWorld) -> None:
    request = world.ask("rollout_restart")
    body = json.loads(request.body)
    assert (body["rollback"], body["reversible"]) == (None, False)
    done = world.execute(world.decide(request, world.person(Role.ON_CALL)))
    assert (done.state, verified(world, done).verification) == ("succeeded", "verified"), done.verified_how
    request = world.agreed("rollout_restart")
    world.fake.sleeps = True
    stuck = verified(world, world.execute(request))
    assert (stuck.state, stuck.verification) == ("succeeded", "unverified")


def test_a_right_too_many_disables_approve_in_words(world: ClusterWorld) -> None:
    probing.probe_all(lambda: world.now)
    assert CredentialProbe.objects.get(credential="cluster_writer").is_ok
    world.fake.rules["shop"] = [{**WRITER, "verbs": ["get", "patch", "delete"]}, SETS]
    probing.probe_all(lambda: world.now)
    request = world.ask("scale", replicas=5)
    with pytest.raises(DecisionRefused, match=r"cluster_writer is not fit: it can delete deployments\.apps"):
        world.decide(request, world.person(Role.ON_CALL))
