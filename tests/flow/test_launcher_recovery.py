"""Each accepted delivery is judged exactly once, whatever is killed, flushed or stopped meanwhile."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from investigations.models import Investigation
from investigations.states import State
from tests.conftest import wait_until
from tests.flow.play import Play, judged_otherwise_than_once
from tests.servers import ROOT, Servers
from triage.local.children import beat_arguments
from triage.local.world import World

Start = Callable[..., "subprocess.Popen[bytes]"]
READER_PASSWORD = "a reader's password for tests"


@pytest.fixture(scope="module")
def world(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The example shop, loaded on the test server."""
    made = World(tmp_path_factory.mktemp("world"))
    made.load(servers.postgres.dsn("postgres"), READER_PASSWORD)
    return made


@pytest.fixture
def quick(servers: Servers, world: World) -> dict[str, str]:
    """Short patience everywhere, and the example shop's tools."""
    reader = servers.postgres.dsn("shop", "shop_reader")
    return {
        "LEASE_SECONDS": "3",
        "SWEEP_SECONDS": "1",
        "BROKER_VISIBILITY_SECONDS": "10",
        "DATABASE_POOL": "1",
        **world.variables(ROOT, reader),
    }


@pytest.fixture
def play(world: World, quick: dict[str, str], start_web: Callable[..., str], committed_db: None) -> Play:
    """The sources, and the web process; no workers yet."""
    made = Play(world.now, start_web(**quick))
    made.seed()
    return made


@pytest.fixture
def start_all(
    start_worker: Start, start_process: Start, quick: dict[str, str], tmp_path: Path
) -> Callable[[], "subprocess.Popen[bytes]"]:
    """Start the upkeep worker, beat and the investigate worker; returns the last."""

    def start() -> "subprocess.Popen[bytes]":
        start_worker("upkeep", **quick)
        start_process(*beat_arguments(tmp_path), **quick)
        return start_worker("investigate", **quick)

    return start


def test_deliveries_end_as_the_examples_expect(
    play: Play, start_all: Callable[[], object], servers: Servers
) -> None:
    start_all()
    assert set(play.post(play.postings)) == {202}
    wait_until(play.is_over, seconds=90)
    assert judged_otherwise_than_once() == []


def test_killing_the_investigate_worker_in_a_run_loses_and_doubles_nothing(
    play: Play,
    start_all: Callable[[], "subprocess.Popen[bytes]"],
    start_worker: Start,
    quick: dict[str, str],
) -> None:
    worker = start_all()
    running = Investigation.objects.filter(state=State.RUNNING)
    assert set(play.post(play.postings)) == {202}
    wait_until(running.exists, seconds=60, every=0.002)
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait(10)
    assert running.exists(), "the worker was killed between two runs: nothing was tested"
    start_worker("investigate", **quick)
    wait_until(play.is_over, seconds=120)
    assert judged_otherwise_than_once() == []
    assert Investigation.objects.filter(attempt__gt=1).exists()


def test_a_flushed_broker_loses_nothing(play: Play, start_all: Callable[[], object], redis_url: str) -> None:
    assert set(play.post(play.postings)) == {202}
    with redis.from_url(redis_url) as broker:
        assert broker.llen("upkeep") > 0
        broker.flushall()
    start_all()
    wait_until(play.is_over, seconds=120)
    assert judged_otherwise_than_once() == []


def test_a_database_that_stops_and_starts_loses_nothing_that_was_accepted(
    play: Play, start_all: Callable[[], object], servers: Servers
) -> None:
    start_all()
    half = len(play.postings) // 2
    assert set(play.post(play.postings[:half])) == {202}
    servers.postgres.stop()
    refused = play.post(play.postings[half : half + 2])
    assert set(refused) == {503}
    time.sleep(1)  # long enough for the workers to run into it
    servers.postgres.start()
    answers = play.post(play.postings[half:])
    assert 202 in answers
    wait_until(play.is_over, seconds=120)
    assert judged_otherwise_than_once() == []
