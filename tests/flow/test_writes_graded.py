"""A high risk over real workers: one probes its credential, and the other asks a model in its stead."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from approvals.models import ActionRequest, CredentialProbe, GateAnswer
from tests import scripted
from tests.conftest import wait_until
from tests.db import writing
from tests.fakes import writes
from tests.scripted import says

YES = '{"safe_to_proceed": true, "reason": "One number, named exactly."}'
NO = '{"safe_to_proceed": false, "reason": "The name could mean anything."}'
KEY = "sk-a-key-that-only-the-investigate-worker-holds"


@pytest.mark.usefixtures("committed_db")
def test_the_grader_decides_last_and_only_the_worker_with_the_key_asks_it(
    make_user: Callable[..., User],
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    tmp_path: Path,
    start_worker: Callable[..., "subprocess.Popen[bytes]"],
) -> None:
    world = writing.opened(make_user, monkeypatch, settings, tmp_path, "{lease_seconds: 30}")
    CredentialProbe.objects.all().delete()
    with scripted.endpoint([says(NO), says(YES)]) as server:
        seen = {"TRIAGE_ACTIONS": settings.TRIAGE_ACTIONS, writes.FOLDER: str(tmp_path), **server.variables}
        start_worker("execute", EXECUTOR_SECRETS=settings.EXECUTOR_SECRETS, **seen)
        start_worker("investigate", LLM_API_KEY=KEY, **seen)
        settings.EXECUTOR_SECRETS = ""
        wait_until(lambda: CredentialProbe.objects.filter(is_ok=True).exists())

        def ended(value: int, state: str) -> ActionRequest:
            world.now = timezone.now()
            request = world.propose("test.set_number_high", value=value)
            wait_until(lambda: bool(ActionRequest.objects.get(pk=request.pk).digest))
            request.refresh_from_db()
            world.now = timezone.now()
            world.decide(request, world.person(Role.ON_CALL))
            world.decide(request, world.person(Role.MANAGER))
            wait_until(lambda: ActionRequest.objects.get(pk=request.pk).state == state)
            request.refresh_from_db()
            return request

        refused = ended(7, "refused")
        assert refused.outcome == "rubric: the grader says: The name could mean anything."
        assert not writes.calls()
        done = ended(8, "succeeded")
    assert [each["value"] for each in writes.calls()] == [8]
    said = GateAnswer.objects.filter(request=done, gate="rubric").values_list("answer", flat=True)
    assert list(said) == ["ok", "ok"]
    # The same question has the same answer: before the claim and after it.
    assert len(server.requests) == 2
    assert {each.headers["authorization"] for each in server.requests} == {f"Bearer {KEY}"}
    assert "a secret of the numbers" not in json.dumps([each.body for each in server.requests])
