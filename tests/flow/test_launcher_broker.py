"""A worker outlives its broker, in the middle of a task too."""

import contextlib
import subprocess
from collections.abc import Callable

import pytest
import redis
from django.core.cache import cache

from tests.conftest import wait_until
from tests.flow.sleepers import sleep
from tests.servers import Servers
from triage.local.children import worker_arguments

Start = Callable[..., "subprocess.Popen[bytes]"]


def _worker(start_process: Start) -> "subprocess.Popen[bytes]":
    return start_process(
        *worker_arguments("upkeep"), "--include", "tests.flow.sleepers", BROKER_VISIBILITY_SECONDS="5"
    )


def _has(name: str) -> bool:
    with contextlib.suppress(redis.exceptions.ConnectionError):
        return cache.get(name) is not None
    return False


def test_a_broker_that_restarts_in_mid_task_does_not_end_the_worker(
    servers: Servers, start_process: Start
) -> None:
    worker = _worker(start_process)
    sleep.apply_async(("first", 3.0), queue="upkeep")
    sleep.apply_async(("waiting", 0.0), queue="upkeep")
    wait_until(lambda: _has("started.first"))
    servers.valkey.stop()
    with pytest.raises(redis.exceptions.ConnectionError):
        cache.get("started.first")
    servers.valkey.start()
    wait_until(lambda: _has("ended.waiting"), seconds=60)
    sleep.apply_async(("after", 0.0), queue="upkeep")
    wait_until(lambda: _has("ended.after"), seconds=30)
    assert worker.poll() is None


def test_a_task_whose_worker_was_killed_is_given_to_the_next_one(start_process: Start) -> None:
    first = _worker(start_process)
    sleep.apply_async(("long", 4.0), queue="upkeep")
    wait_until(lambda: _has("started.long"))
    first.kill()
    _worker(start_process)
    wait_until(lambda: _has("ended.long"), seconds=60)
