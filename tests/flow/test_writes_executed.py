"""A write through the real broker and a real execute worker, which alone is given the write credential."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from approvals import sending, sweeping
from approvals.models import ActionRequest
from tests.conftest import wait_until
from tests.db import writing
from tests.db.writing import World
from tests.fakes import writes

POLICY = "{lease_seconds: 5}"
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def world(
    committed_db: None,
    make_user: Callable[..., User],
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    tmp_path: Path,
    start_worker: Start,
) -> World:
    """The target's folder, and an execute worker. This process itself holds no write credential."""
    made = writing.opened(make_user, monkeypatch, settings, tmp_path, POLICY)
    made.now = timezone.now()
    made.probe()
    start_worker(
        "execute",
        EXECUTOR_SECRETS=settings.EXECUTOR_SECRETS,
        TRIAGE_ACTIONS=settings.TRIAGE_ACTIONS,
        **{writes.FOLDER: str(tmp_path)},
    )
    settings.EXECUTOR_SECRETS = ""
    return made


def state(request: ActionRequest) -> str:
    request.refresh_from_db()
    return str(request.state)


def approved(world: World) -> ActionRequest:
    """Propose, wait until the worker has prepared it, and approve."""
    request = world.propose()
    wait_until(lambda: bool(ActionRequest.objects.get(pk=request.pk).digest))
    request.refresh_from_db()
    world.now = timezone.now()
    world.probe()
    return world.decide(request, world.person(Role.ON_CALL))


def test_a_write_is_prepared_executed_once_and_looked_for_by_the_worker(world: World) -> None:
    request = approved(world)
    for _ in range(5):  # the broker delivers again, and people click again
        sending.now("execute", request.pk)
    wait_until(lambda: state(request) == "succeeded")
    wait_until(lambda: (state(request), request.verification)[1] == "unverified")
    assert "find_number" in request.verified_how
    assert [call["value"] for call in writes.calls()] == [7]
    assert json.loads(request.body)["rollback"]["action"] == "test.set_number"


def test_a_worker_killed_in_the_call_leaves_it_unknown_and_nobody_tries_again(world: World) -> None:
    writes.be(after="die")
    request = approved(world)
    wait_until(lambda: len(writes.calls()) == 1)
    writes.be()

    def swept() -> bool:
        sweeping.sweep(timezone.now())
        return state(request) == "unknown"

    wait_until(swept, every=0.5)
    sending.now("execute", request.pk)
    other = world.propose(value=9, name="b")
    wait_until(
        lambda: bool(ActionRequest.objects.get(pk=other.pk).digest)
    )  # the worker is alive, and went on
    assert len(writes.calls()) == 1
    assert state(request) == "unknown"
