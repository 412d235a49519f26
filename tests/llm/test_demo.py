"""`make demo` from end to end with the small real model: hours, so only where LLM_DEMO=1 asks for it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.llm.serving import served
from tests.servers import ROOT, made_folder

pytestmark = [
    pytest.mark.timeout(5 * 3600),
    pytest.mark.skipif(
        os.environ.get("LLM_DEMO") != "1", reason="LLM_DEMO=1 asks for it: a whole demo takes hours"
    ),
    pytest.mark.skipif(
        bool(os.environ.get("DATABASE_URL")), reason="needs the embedded servers: unset DATABASE_URL"
    ),
]
# A small machine: short replies, few of them, and all the time that they take.
PATIENT = {
    "LLM_CONTEXT": "8192",
    "LLM_MAX_TOKENS": "48",
    "LLM_SECONDS": "600",
    "LLM_TOTAL_SECONDS": "900",
    "AGENT_MAX_TURNS": "4",
    "AGENT_MAX_SECONDS": "3600",
}


@contextmanager
def _server() -> Iterator[dict[str, str]]:
    """Yield the variables of a running server: none where LLM_BASE_URL names one, else those of our own."""
    if os.environ.get("LLM_BASE_URL"):
        yield {}
        return
    with served() as address:
        yield {"LLM_BASE_URL": address, "MODEL_ID": "smollm2", "LLM_QUIRKS": "llama-cpp-python"}


def test_a_whole_demo_ends_with_each_incident_at_a_person_and_no_false_pass() -> None:
    folder = made_folder()
    mine = {name: value for name, value in os.environ.items() if name != "MAKELEVEL"}
    given = {**PATIENT, **mine, "LOCAL_FOLDER": str(folder), "DEMO_ONCE": "1"}

    def launch(mode: str, **more: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "triage.local.launch", mode],
            cwd=ROOT, env={**given, **more}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    try:
        with _server() as variables:
            done = launch("demo", **variables)
        logs = "".join(each.read_text(errors="replace") for each in folder.glob("*.log"))
    finally:
        assert launch("reset").returncode == 0
        shutil.rmtree(folder)
    print(done.stdout)  # with -s: the table, the outcomes by kind, the tokens
    assert done.returncode == 0, done.stdout + done.stderr
    assert "A model gathered." in done.stdout
    assert "none passed that should not have" in done.stdout
    assert "Traceback" not in logs
