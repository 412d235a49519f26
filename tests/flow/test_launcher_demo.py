"""`make demo` from one end to the other, in a folder of its own: twice, then killed, then started over."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import wait_until
from tests.servers import ROOT, made_folder
from triage.local import processes

pytestmark = pytest.mark.skipif(
    bool(os.environ.get("DATABASE_URL")), reason="needs the embedded servers: unset DATABASE_URL"
)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that the account which PostgreSQL steps down to can walk to; pytest's own are private."""
    made = made_folder()
    yield made
    assert _launch(made, "reset").returncode == 0
    shutil.rmtree(made)


def _environment(folder: Path, **variables: str) -> dict[str, str]:
    mine = {name: value for name, value in os.environ.items() if name != "MAKELEVEL"}
    return {**mine, "LOCAL_FOLDER": str(folder), **variables}


def _launch(folder: Path, mode: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "triage.local.launch", mode],
        cwd=ROOT,
        env=_environment(folder, **variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def _alive(folder: Path) -> list[str]:
    listing = folder / "processes.json"
    if not listing.exists():
        return []
    listed = json.loads(listing.read_text())
    return [name for name, one in listed.items() if processes.birth(one["pid"]) == one["birth"]]


def test_every_example_ends_as_expected_and_nothing_is_left_running(folder: Path) -> None:
    done = _launch(folder, "demo", DEMO_ONCE="1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "http://localhost:" in done.stdout
    assert "Not as expected" not in done.stdout
    assert _alive(folder) == []


def test_a_second_start_posts_nothing_and_prints_the_same_table(folder: Path) -> None:
    began = time.monotonic()
    first, second = (_launch(folder, "demo", DEMO_ONCE="1").stdout for _ in range(2))
    assert time.monotonic() - began < 120
    assert "posted before" in second

    def table(said: str) -> list[str]:
        return [line.partition("http")[0] for line in said.splitlines() if "/incidents/" in line]

    assert len(table(second)) >= 14
    assert table(first) == table(second)


def test_a_second_launcher_is_refused_and_a_killed_one_leaves_nothing(folder: Path) -> None:
    with (folder / "launcher.out").open("wb") as out:
        launcher = subprocess.Popen(
            [sys.executable, "-m", "triage.local.launch", "demo"],
            cwd=ROOT,
            env=_environment(folder),
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    said = folder / "launcher.out"
    wait_until(
        lambda: "Ctrl-C stops everything" in said.read_text() or launcher.poll() is not None, seconds=120
    )
    assert set(_alive(folder)) >= {"postgres", "valkey", "web", "investigate", "execute", "upkeep", "beat"}

    refused = _launch(folder, "demo", DEMO_ONCE="1")
    assert refused.returncode == 2
    assert "already runs from this folder at http://localhost:" in refused.stderr

    launcher.kill()
    launcher.wait(10)
    wait_until(lambda: _alive(folder) == [], seconds=30)

    again = _launch(folder, "demo", DEMO_ONCE="1")
    assert again.returncode == 0, again.stdout + again.stderr


def test_ctrl_c_stops_everything_and_ends_well(folder: Path) -> None:
    with (folder / "launcher.out").open("wb") as out:
        launcher = subprocess.Popen(
            [sys.executable, "-m", "triage.local.launch", "run"],
            cwd=ROOT,
            env=_environment(folder),
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    said = folder / "launcher.out"
    wait_until(
        lambda: "Ctrl-C stops everything" in said.read_text() or launcher.poll() is not None, seconds=120
    )
    pids = [one["pid"] for one in json.loads((folder / "processes.json").read_text()).values()]
    launcher.send_signal(signal.SIGINT)
    assert launcher.wait(40) == 0
    assert not any(processes.birth(pid) for pid in pids)
    assert not (folder / "environment.json").exists()
