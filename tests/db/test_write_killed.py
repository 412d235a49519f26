"""kill -9 of the process that executes a write, at each statement from its claim to its result."""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections

from accounts.models import User
from accounts.roles import Role
from approvals import executing, sweeping
from approvals.models import ActionRequest, Execution
from tests.db import clustering, writing
from tests.db.clustering import ClusterWorld
from tests.db.writing import World
from tests.fakes import writes
from tests.fakes.server import Asked

LIMITS = "{writes_an_hour: 100000, actions_an_hour: 0, failures_an_hour: 0, open_per_team: 100000}"
FULL = bool(os.environ.get("FULL"))
MOST = 60


@pytest.fixture
def world(
    committed_db: None,
    make_user: Callable[..., User],
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    tmp_path: Path,
) -> World:
    made = writing.opened(make_user, monkeypatch, settings, tmp_path, LIMITS)
    made.person(Role.ON_CALL)
    return made


class Killer:
    """Kills this process before its n-th statement, counted from the claim on."""

    def __init__(self, at: int) -> None:
        self._left, self._has_claimed = at, False

    def __call__(self, run: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        values = [str(value) for value in params] if isinstance(params, tuple | list) else []
        self._has_claimed |= sql.startswith('UPDATE "approvals_actionrequest"') and "executing" in values
        if self._has_claimed:
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            self._left -= 1
        return run(sql, params, many, context)


def killed(world: World, request: ActionRequest, at: int) -> bool:
    """Execute in a process of its own that is killed on its way; return whether it was."""
    connections.close_all()
    child = os.fork()
    if child == 0:
        try:
            with connection.execute_wrapper(Killer(at)):
                executing.execute(request.pk, clock=lambda: world.now)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def test_wherever_it_is_killed_the_target_is_called_at_most_once_and_nobody_guesses(world: World) -> None:
    seen: dict[str, int] = {}
    for at in range(0, MOST, 1 if FULL else 2):
        request = world.approved(name=f"n{at}", value=at + 1)
        if not killed(world, request, at):
            break
        state = _settled(world, request)
        called = sum(call["name"] == f"n{at}" for call in writes.calls())
        seen[f"{state} {called}"] = seen.get(f"{state} {called}", 0) + 1
    else:
        pytest.fail("it was killed at each of all places and never came to its end")
    # Before the claim's commit it is as if nothing was: the next worker executes it. After it nobody calls.
    assert set(seen) <= {"succeeded 1", "aborted 0", "unknown 0", "unknown 1"}, seen
    assert sum(seen.values()) >= 10, seen
    assert {"aborted 0", "unknown 1"} <= set(seen), seen
    assert not Execution.objects.filter(ended_at=None).exists()


def _settled(world: World, request: ActionRequest) -> str:
    """Let the lease run out, sweep, and let two more workers try."""
    world.later(seconds=130)
    sweeping.end_broken(world.now)
    for _ in range(2):
        world.execute(request)
    request.refresh_from_db()
    world.probe()
    return str(request.state)


@pytest.mark.parametrize("mood", ["execute", "after"])
def test_killed_in_the_call_itself_it_is_unknown(world: World, mood: str) -> None:
    request = world.approved()
    writes.be(**{mood: "die"})
    assert killed(world, request, MOST)
    writes.be()
    assert _settled(world, request) == "unknown"
    assert len(writes.calls()) == (mood == "after")
    assert request.outcome == "the worker ended after it began to call the target"


@pytest.fixture
def cluster(
    committed_db: None,
    make_user: Callable[..., User],
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    tmp_path: Path,
) -> Iterator[ClusterWorld]:
    with clustering.opened(make_user, monkeypatch, settings, tmp_path) as made:
        yield made


def test_killed_while_a_cluster_answers_it_is_unknown_and_one_patch_was_made(cluster: ClusterWorld) -> None:
    request = cluster.agreed("scale", replicas=5)
    child = 0

    def kill(connection: socket.socket, asked: Asked) -> None:
        cluster.fake(asked)
        os.kill(child, signal.SIGKILL)

    clustering.at_the_patch(cluster, kill)
    connections.close_all()
    child = os.fork()
    if child == 0:
        try:
            executing.execute(request.pk, clock=lambda: cluster.now)
        finally:
            os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    clustering.at_the_patch(cluster, None)
    assert _settled(cluster, request) == "unknown"
    assert len(clustering.patches(cluster)) == 1
    annotations = cluster.fake.one()["metadata"]["annotations"]
    assert annotations["assay/write"] == Execution.objects.get(request=request).key
