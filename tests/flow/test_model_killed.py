"""A worker that is killed in the middle of a model's run, twice: the next one goes on where it was left."""

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from incidents import sweeping
from incidents.models import Incident
from investigations.models import Exchange, Investigation, Step, Submitted, Verdict
from investigations.states import State
from tests import scripted
from tests.conftest import wait_until
from tests.db.sources import an_alert, body_of, deliver, make_source
from tests.flow.modelfaults import DONE, FIND, OTHER, THIRD
from tests.scripted import Request, Scripted, calls, slow
from toolbox.models import Call


class Hanging:
    """A model that lets one reply of each kind hang, so that its worker can be killed meanwhile."""

    def __init__(self) -> None:
        self.hung: set[int] = set()
        self.hangs = threading.Event()

    def __call__(self, request: Request) -> Scripted:
        """Return the next step; what was answered so far says which it is."""
        answered = sum(each["role"] == "tool" for each in request.messages)
        reply = {0: calls(FIND, OTHER), 2: calls(THIRD), 3: DONE}[answered]
        if answered and answered not in self.hung:
            self.hung.add(answered)
            self.hangs.set()
            return slow(30, reply)
        return reply


def test_killed_twice_in_mid_run_there_is_one_submission_in_the_end(
    committed_db: None,
    quick: dict[str, str],
    start_worker: Callable[..., Any],
    settings: Any,
    capfd: pytest.CaptureFixture[str],
) -> None:
    settings.INVESTIGATOR, settings.LEASE_SECONDS = "model", 1
    script = Hanging()
    with scripted.endpoint(script) as server:
        variables = {
            **quick,
            **server.variables,
            "LEASE_SECONDS": "2",
            "LLM_TOTAL_SECONDS": "2",
            "LLM_SECONDS": "2",
        }
        deliver(make_source(), body_of(an_alert()))
        for _ in range(2):
            worker = start_worker("investigate", **variables)
            wait_until(script.hangs.is_set, seconds=60)
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait(10)
            script.hangs.clear()
            wait_until(_is_abandoned, seconds=20)
            sweeping.sweep(timezone.now())
        start_worker("investigate", **variables)
        wait_until(lambda: Incident.objects.filter(state="review").exists(), seconds=60)
    run = Investigation.objects.get()
    assert (run.state, run.outcome, run.attempt) == (State.JUDGED, "first_pass", 3)
    assert Submitted.objects.count() == Verdict.objects.count() == 1
    steps = list(Step.objects.all())
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    kinds = ["opening", "opening", "reply", "answer", "answer", "reply", "answer", "reply"]
    assert [step.kind for step in steps] == kinds
    assert Call.objects.filter(investigation=run.pk).count() == 3
    replied = [step.exchange for step in steps if step.kind == "reply"]
    booked = Exchange.objects.filter(tokens_out__gt=0)
    assert sorted(replied) == sorted(booked.values_list("pk", flat=True))
    assert "Traceback" not in "".join(capfd.readouterr())


def _is_abandoned() -> bool:
    return Investigation.objects.filter(state=State.RUNNING, lease_until__lt=timezone.now()).exists()
