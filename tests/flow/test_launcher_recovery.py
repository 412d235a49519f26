"""Each accepted delivery is judged exactly once, whatever is killed, flushed or stopped meanwhile."""

import os
import signal
import subprocess
import time
from collections.abc import Callable

import redis

from investigations.models import Investigation
from investigations.states import State
from tests.conftest import wait_until
from tests.flow.play import Play, judged_otherwise_than_once
from tests.servers import Servers

Start = Callable[..., "subprocess.Popen[bytes]"]


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
