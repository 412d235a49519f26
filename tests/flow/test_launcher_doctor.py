"""`manage.py doctor`: finds what is missing, says what to do, and is content with a whole installation."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.conftest import wait_until
from tests.servers import ROOT

Start = Callable[..., "subprocess.Popen[bytes]"]
Doctor = Callable[..., "subprocess.CompletedProcess[str]"]
BEAT_ONCE = "import triage.asgi; from triage.tasks import note_heartbeat; note_heartbeat()"
NOBODY = "postgres://assay_app@127.0.0.1:1/assay"


@pytest.fixture
def doctor(process_environment: dict[str, str]) -> Doctor:
    def ask(**variables: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "manage.py", "doctor"],
            cwd=ROOT,
            env={**process_environment, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return ask


def _lines(said: str) -> dict[str, tuple[str, str]]:
    """Return health and cure by name."""
    found: dict[str, tuple[str, str]] = {}
    name = ""
    for line in said.splitlines():
        if line.startswith(("ok ", "warning ", "failing ")):
            health, name = line.split()[0], line[9:29].strip()
            found[name] = (health, "")
        elif "→" in line:
            found[name] = (found[name][0], line.partition("→")[2].strip())
    return found


def test_without_workers_it_names_each_queue_and_how_to_start_its_worker(
    doctor: Doctor,
) -> None:
    done = doctor()
    assert done.returncode == 1
    lines = _lines(done.stdout)
    for queue in ("investigate", "execute", "upkeep"):
        health, cure = lines[f"worker {queue}"]
        assert health == "failing"
        assert f"--queues {queue}" in cure
    assert lines["beat"][0] == "failing"
    assert lines["database"][0] == lines["migrations"][0] == lines["broker"][0] == "ok"


def test_each_failing_line_has_its_cure(doctor: Doctor) -> None:
    done = doctor(DATABASE_URL=NOBODY, REDIS_URL="redis://127.0.0.1:1/0")
    lines = _lines(done.stdout)
    assert lines["database"] == ("failing", "Start PostgreSQL, or correct DATABASE_URL and its password.")
    assert lines["broker"] == ("failing", "Start Redis or Valkey, or correct REDIS_URL.")
    assert lines["migrations"] == ("warning", "Put right the database.")
    assert lines["workers"] == ("warning", "Put right the broker.")
    assert all(cure for health, cure in lines.values() if health != "ok")


def test_a_credential_that_can_write_is_found(doctor: Doctor, quick: dict[str, str], owner_dsn: str) -> None:
    done = doctor(**{**quick, "SHOP_READER_URL": owner_dsn, "DATABASE_POOL": "0"})
    assert _lines(done.stdout)["connector shop"][0] == "failing"
    assert "can do more than read" in done.stdout, done.stdout


def test_a_whole_installation_is_found_well(
    doctor: Doctor,
    quick: dict[str, str],
    holding: dict[str, str],
    start_worker: Start,
    start_process: Start,
    start_all: Callable[[], object],
    make_user: Callable[..., object],
) -> None:
    make_user("oskar", role="administrator")
    start_all()
    start_worker("execute", **holding)
    start_process(
        "-c", "import triage.asgi; from triage.tasks import note_heartbeat; note_heartbeat()", **quick
    )
    said: list[str] = []

    def is_well() -> bool:
        done = doctor(**quick, DATABASE_POOL_SIZE="2")
        said.append(done.stdout)
        # The first probe of the write credential comes a moment after its worker.
        return done.returncode == 0 and _lines(done.stdout)["write shop_writer"][0] == "ok"

    wait_until(is_well, seconds=90, every=1)
    assert all(health != "failing" for health, _ in _lines(said[-1]).values())
