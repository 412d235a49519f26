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
from psycopg.conninfo import conninfo_to_dict

from tests.conftest import wait_until
from tests.flow import inspecting
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


def _started(folder: Path, mode: str) -> "subprocess.Popen[bytes]":
    """Start a launcher that stays up, and wait until it says so or ends."""
    said = folder / "launcher.out"
    with said.open("wb") as out:
        launcher = subprocess.Popen(
            [sys.executable, "-m", "triage.local.launch", mode],
            cwd=ROOT,
            env=_environment(folder),
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    wait_until(
        lambda: "Ctrl-C stops everything" in said.read_text() or launcher.poll() is not None, seconds=120
    )
    return launcher


def _only_the_execute_worker_can_write(folder: Path) -> None:
    """Look into the environment and the memory of every process for the shop's write credential."""
    listed = json.loads((folder / "processes.json").read_text())
    held = json.loads(inspecting.environment(listed["execute"]["pid"])["EXECUTOR_SECRETS"])
    password = conninfo_to_dict(held["shop_writer"]["dsn"])["password"]
    assert isinstance(password, str)
    assert len(password) > 20
    pids = [
        (name, pid)
        for name in ("execute", "web", "investigate", "upkeep", "beat")
        for pid in inspecting.descendants(listed[name]["pid"])
    ]
    given = {name for name, pid in pids if password in str(inspecting.environment(pid))}
    holding = {name for name, pid in pids if inspecting.holds(pid, password.encode())}
    assert (given, holding) == ({"execute"}, {"execute"})


@pytest.fixture(scope="module")
def first(folder: Path) -> subprocess.CompletedProcess[str]:
    """The first start of all, which ends after its table."""
    return _launch(folder, "demo", DEMO_ONCE="1")


def test_every_example_ends_as_expected_and_nothing_is_left_running(
    folder: Path, first: subprocess.CompletedProcess[str]
) -> None:
    assert first.returncode == 0, first.stdout + first.stderr
    assert "http://localhost:" in first.stdout
    assert "Not as expected" not in first.stdout
    assert _alive(folder) == []


def test_a_second_start_posts_nothing_and_prints_the_same_table(
    folder: Path, first: subprocess.CompletedProcess[str]
) -> None:
    began = time.monotonic()
    second = _launch(folder, "demo", DEMO_ONCE="1")
    assert time.monotonic() - began < 150
    assert second.returncode == 0, second.stdout + second.stderr
    assert "posted before" in second.stdout

    def table(said: str) -> list[str]:
        return [line.partition("http")[0] for line in said.splitlines() if "/incidents/" in line]

    assert len(table(second.stdout)) >= 14
    assert table(first.stdout) == table(second.stdout)


def test_a_second_launcher_is_refused_and_a_killed_one_leaves_nothing(
    folder: Path, first: subprocess.CompletedProcess[str]
) -> None:
    launcher = _started(folder, "demo")
    assert set(_alive(folder)) >= {"postgres", "valkey", "web", "investigate", "execute", "upkeep", "beat"}
    _only_the_execute_worker_can_write(folder)

    refused = _launch(folder, "demo", DEMO_ONCE="1")
    assert refused.returncode == 2
    assert "already runs from this folder at http://localhost:" in refused.stderr

    launcher.kill()
    launcher.wait(10)
    wait_until(lambda: _alive(folder) == [], seconds=30)


def test_it_starts_after_it_was_killed_and_ctrl_c_stops_everything_and_ends_well(
    folder: Path, first: subprocess.CompletedProcess[str]
) -> None:
    launcher = _started(folder, "run")
    assert launcher.poll() is None, (folder / "launcher.out").read_text()
    pids = [one["pid"] for one in json.loads((folder / "processes.json").read_text()).values()]
    launcher.send_signal(signal.SIGINT)
    assert launcher.wait(40) == 0
    assert not any(processes.birth(pid) for pid in pids)
    assert not (folder / "environment.json").exists()
