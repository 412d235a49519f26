"""A worker that is killed in the middle of an answer: the next one goes on where it was left."""

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

from django.utils import timezone

from incidents import thread
from incidents.models import Incident
from investigations.models import Question
from investigations.states import Asking
from tests import scripted
from tests.conftest import wait_until
from tests.db.sources import an_alert, body_of, deliver, make_source
from tests.scripted import Request, Scripted, calls, says, slow
from toolbox.models import Call


class Hanging:
    """A model whose answer hangs the first time."""

    def __init__(self) -> None:
        self.hangs = threading.Event()

    def __call__(self, request: Request) -> Scripted:
        """Ask, then answer."""
        if request.messages[-1]["role"] != "tool":
            return calls(("find_job", '{"job_id": "job-48290"}'))
        if self.hangs.is_set():
            return says("It failed once.")
        self.hangs.set()
        return slow(30, says("never"))


def test_a_killed_workers_question_is_answered_by_the_next_and_no_tool_is_asked_twice(
    committed_db: None,
    quick: dict[str, str],
    start_worker: Callable[..., Any],
    make_user: Callable[..., Any],
) -> None:
    script = Hanging()
    deliver(make_source(), body_of(an_alert()))
    incident = Incident.objects.get()
    row = thread.ask(incident, "Since when?", by=make_user("ada"), now=timezone.now())
    with scripted.endpoint(script) as server:
        quickly = {
            "LEASE_SECONDS": "2",
            "LLM_TOTAL_SECONDS": "2",
            "LLM_SECONDS": "2",
            "INVESTIGATOR": "playbook",
        }
        variables = {**quick, **server.variables, **quickly, "BROKER_VISIBILITY_SECONDS": "5"}
        worker = start_worker("investigate", **variables)
        assert script.hangs.wait(60)
        os.killpg(worker.pid, signal.SIGKILL)
        start_worker("investigate", **variables)
        wait_until(lambda: Question.objects.get(pk=row.pk).state == Asking.ANSWERED, seconds=60)
    row.refresh_from_db()
    assert (row.answer.strip(), row.attempt) == ("It failed once.", 2)
    assert Call.objects.filter(tool="find_job", caller="model").count() == 1
    assert (row.tokens_in, row.tokens_out) == (200, 20)
