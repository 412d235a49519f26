"""Processes are kept running, servers come back from any end, and nothing is left behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.conftest import wait_until
from tests.servers import ROOT, made_folder
from triage.local import processes, supervisor
from triage.local.children import Child
from triage.local.postgres import FOR_TESTS, PostgresServer
from triage.local.refusals import CannotStart
from triage.local.supervisor import Supervisor
from triage.local.valkey import ValkeyServer

SLEEP = ("-c", "import time; time.sleep(600)")


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[Supervisor]:
    made = Supervisor(ROOT, tmp_path, say=lambda sentence: None)
    yield made
    made.stop(patience=2)


@pytest.fixture
def data() -> Iterator[Path]:
    """A folder that the account which PostgreSQL steps down to can walk to; pytest's own are private."""
    folder = made_folder()
    yield folder / "postgres"
    shutil.rmtree(folder)


def _child(name: str, *arguments: str) -> Child:
    return Child(name, arguments, dict(os.environ))


def _pid(keeper: Supervisor, name: str) -> int:
    return int(json.loads((keeper.folder / "processes.json").read_text())[name]["pid"])


def test_a_child_that_dies_is_started_again_after_a_pause(keeper: Supervisor) -> None:
    keeper.start(_child("worker", *SLEEP))
    first = _pid(keeper, "worker")
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not keeper.is_running("worker"))
    keeper.tend()
    keeper.tend()
    assert not keeper.is_running("worker")

    def is_back() -> bool:
        keeper.tend()
        return keeper.is_running("worker")

    wait_until(is_back, seconds=10)
    assert _pid(keeper, "worker") != first


def test_a_folder_that_cannot_be_written_ends_nothing_that_runs(tmp_path: Path) -> None:
    said: list[str] = []
    keeper = Supervisor(ROOT, tmp_path, say=said.append)
    half = tmp_path / "processes.half-made"
    try:
        keeper.start(_child("worker", *SLEEP))
        first = _pid(keeper, "worker")
        half.mkdir()
        keeper.start(_child("other", *SLEEP))
        keeper.tend()
        assert [words for words in said if "can't be written" in words] == said
        assert (len(said), keeper.is_running("other"), _pid(keeper, "worker")) == (1, True, first)
        half.rmdir()
        keeper.tend()
        assert _pid(keeper, "other") != first

        log = tmp_path / "worker.log"
        log.unlink()
        log.mkdir()
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: not keeper.is_running("worker"))

        def tended(reached: Callable[[], bool]) -> bool:
            keeper.tend()
            return reached()

        wait_until(lambda: tended(lambda: any("can't be started" in words for words in said)))
        log.rmdir()
        wait_until(lambda: tended(lambda: keeper.is_running("worker")))
    finally:
        keeper.stop(patience=2)


def test_stopping_ends_a_child_that_will_not_and_what_it_started(keeper: Supervisor, tmp_path: Path) -> None:
    stubborn = (
        "import pathlib, signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); "
        f"pathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(child.pid)); time.sleep(600)"
    )
    keeper.start(_child("stubborn", "-c", stubborn))
    wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")
    pids = [_pid(keeper, "stubborn"), int((tmp_path / "pid").read_text())]
    keeper.stop(patience=0.3)
    wait_until(lambda: not any(processes.birth(pid) for pid in pids))


def test_a_later_start_ends_what_a_killed_one_left(tmp_path: Path) -> None:
    left = subprocess.Popen([sys.executable, *SLEEP], start_new_session=True)
    listed = {
        "worker": {"pid": left.pid, "birth": processes.birth(left.pid)},
        "stranger": {"pid": os.getpid(), "birth": "another birth"},
    }
    (tmp_path / "processes.json").write_text(json.dumps(listed))
    assert supervisor.clean_up(tmp_path) == ["worker"]
    assert left.wait(10) == -signal.SIGTERM
    assert supervisor.clean_up(tmp_path) == []


def test_children_die_with_a_launcher_that_is_killed(tmp_path: Path) -> None:
    program = (
        "import os, sys, time; from pathlib import Path; from triage.local.supervisor import Supervisor; "
        "from triage.local.children import Child; "
        f"keeper = Supervisor(Path({str(ROOT)!r}), Path({str(tmp_path)!r})); "
        f"keeper.start(Child('worker', {SLEEP!r}, dict(os.environ))); time.sleep(600)"
    )
    launcher = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT)
    listing = tmp_path / "processes.json"
    wait_until(listing.exists)
    pid = int(json.loads(listing.read_text())["worker"]["pid"])
    launcher.kill()
    launcher.wait(10)
    wait_until(lambda: not processes.birth(pid), seconds=10)


def test_a_half_made_data_folder_is_never_taken_for_a_whole_one(data: Path) -> None:
    (data / "base").mkdir(parents=True)
    server = PostgresServer(data, settings=FOR_TESTS)
    with pytest.raises(CannotStart, match=r"half-made.*make demo-reset"):
        server.start()
    server.close()


def test_what_a_stopped_initdb_left_is_made_anew(data: Path) -> None:
    half = data.with_name("postgres.half-made")
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18")
    server = PostgresServer(data, settings=FOR_TESTS)
    server.start()
    try:
        with psycopg.connect(server.dsn("postgres")) as link:
            assert link.execute("SELECT 1").fetchone() == (1,)
        assert not half.exists()
    finally:
        server.close()


def test_a_killed_server_comes_back_with_its_stale_pid_file_and_its_rows(data: Path) -> None:
    server = PostgresServer(data, password="a long secret")
    server.start()
    try:
        with psycopg.connect(server.dsn("postgres"), autocommit=True) as link:
            link.execute("CREATE TABLE kept AS SELECT 1 AS one")
        assert server.process is not None
        server.process.kill()
        server.process.wait(10)
        assert (data / "postmaster.pid").exists()
        server.start()
        with psycopg.connect(server.dsn("postgres")) as link:
            assert link.execute("SELECT one FROM kept").fetchone() == (1,)
    finally:
        server.close()


def test_a_pid_file_with_a_strangers_number_does_not_hold_up_the_start(data: Path) -> None:
    server = PostgresServer(data, settings=FOR_TESTS)
    server.start()
    server.stop()
    try:
        (data / "postmaster.pid").write_text(f"{os.getpid()}\n{data}\n0\n5432\n\n\n\n\n")
        server.start()
        assert processes.birth(os.getpid())
    finally:
        server.close()


def test_a_server_that_another_start_left_running_is_ended_first(data: Path) -> None:
    left = PostgresServer(data, settings=FOR_TESTS)
    left.start()
    again = PostgresServer(data, settings=FOR_TESTS)
    again.start()
    try:
        assert left.process is not None
        assert left.process.wait(10) == 0
    finally:
        again.close()
        left.close()


def test_the_embedded_server_refuses_a_wrong_password(data: Path) -> None:
    server = PostgresServer(data, password="a long secret", settings=FOR_TESTS)
    server.start()
    try:
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(server.dsn("postgres", password="a wrong one"))
    finally:
        server.close()


def test_a_broker_that_cannot_start_shows_its_last_words(tmp_path: Path) -> None:
    server = ValkeyServer(tmp_path / "valkey")
    (tmp_path / "valkey" / "appendonlydir").mkdir(parents=True)
    (tmp_path / "valkey" / "appendonlydir" / "appendonly.aof.manifest").write_text("nonsense\n")
    with pytest.raises(CannotStart, match=r"Valkey ended at once|damaged"):
        server.start()
    server.close()


def test_a_broker_comes_back_with_what_it_held(tmp_path: Path) -> None:
    import redis

    server = ValkeyServer(tmp_path / "valkey")
    server.start()
    try:
        with redis.from_url(server.url()) as link:
            link.set("kept", "yes")
        assert server.process is not None
        time.sleep(1.1)  # the append-only file is synced each second
        server.process.kill()
        server.process.wait(10)
        server.start()
        with redis.from_url(server.url()) as link:
            assert link.get("kept") == b"yes"
    finally:
        server.close()
