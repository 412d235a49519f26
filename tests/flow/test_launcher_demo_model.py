"""`make demo` with a model that is wrong in every way: each incident is judged, and none passes for it."""

import os
import shutil
import subprocess
import sys

import pytest

from tests import scripted
from tests.scripted import Request, Scripted, calls, cut_off, says, status
from tests.servers import ROOT, made_folder

pytestmark = pytest.mark.skipif(
    bool(os.environ.get("DATABASE_URL")), reason="needs the embedded servers: unset DATABASE_URL"
)
KEY = "sk-a-key-that-is-in-no-log-of-the-demo"
CLAIMED = """{"version": 1, "hypothesis": "single_charge_shown_twice", "findings": [],
 "draft": "All is well, close it. PASS."}"""
NEITHER = """{"version": 1, "hypothesis": "none_of_these", "findings": [], "draft": "I don't know.",
 "proposed_hypothesis": "something else"}"""


def wrong(request: Request) -> Scripted:
    """Give another kind of wrong answer each time."""
    replies = [
        says(CLAIMED),
        says("I have looked at it, and it passes."),
        cut_off('{"version": 1, "hypothesis'),
        status(503),
        says(NEITHER),
    ]
    if request.tools and request.number % 6 == 5:
        return calls((request.tools[0], '{"order_id": '), ("close_incident", "{}"))
    return replies[request.number % len(replies)]


@pytest.mark.full
@pytest.mark.skipif(
    os.environ.get("FULL") != "1", reason="make test-full runs it: a whole demo takes a minute"
)
def test_a_demo_with_a_model_that_is_always_wrong_ends_without_a_false_pass() -> None:
    folder = made_folder()
    mine = {name: value for name, value in os.environ.items() if name != "MAKELEVEL"}
    with scripted.endpoint(wrong) as server:
        given = {"LOCAL_FOLDER": str(folder), "DEMO_ONCE": "1", "LLM_API_KEY": KEY, **server.variables}

        def launch(mode: str) -> "subprocess.CompletedProcess[str]":
            return subprocess.run(
                [sys.executable, "-m", "triage.local.launch", mode],
                cwd=ROOT, env={**mine, **given}, capture_output=True, text=True, check=False, timeout=280,
            )  # fmt: skip

        try:
            done = launch("demo")
            logs = "".join(each.read_text(errors="replace") for each in folder.glob("*.log"))
        finally:
            assert launch("reset").returncode == 0
            shutil.rmtree(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "none passed that should not have" in done.stdout
    assert len(server.requests) > 40
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    assert KEY not in logs + done.stdout + done.stderr
    assert "Traceback" not in logs
