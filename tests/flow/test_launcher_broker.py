"""A worker outlives its broker, in the middle of a task too."""

import contextlib
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest
import redis
from django.core.cache import cache
from kombu import Connection
from kombu.simple import SimpleQueue
from kombu.transport import redis as kombu_redis

from tests.conftest import wait_until
from tests.flow.sleepers import sleep
from tests.servers import Servers
from triage.celery import keep_over_a_lost_link
from triage.local.children import worker_arguments
from triage.patience import PatientQoS
from triage.settings import _broker_url

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
    sleep.apply_async(("first", 8.0), queue="upkeep")
    sleep.apply_async(("waiting", 0.0), queue="upkeep")
    wait_until(lambda: _has("started.first"))
    servers.valkey.stop()
    with pytest.raises(redis.exceptions.ConnectionError):
        cache.get("started.first")
    time.sleep(4)  # the worker has to meet a link that stays gone
    servers.valkey.start()
    wait_until(lambda: _has("ended.waiting"), seconds=60)
    sleep.apply_async(("after", 0.0), queue="upkeep")
    wait_until(lambda: _has("ended.after"), seconds=30)
    assert worker.poll() is None


def _channel(link: Connection) -> Any:
    return link.channel()  # the stubs know no transport's own channel


def test_what_is_unacknowledged_is_not_given_back_over_a_link_that_is_gone(redis_url: str) -> None:
    keep_over_a_lost_link()  # as each worker does when it starts
    with Connection(_broker_url(redis_url)) as link:
        channel = _channel(link)
        queue = SimpleQueue(channel, "guarded")
        queue.put({"some": "thing"})
        queue.get(timeout=5)  # taken, and not acknowledged
        assert isinstance(channel.qos, PatientQoS)
        kept, channel.connection.client = channel.connection.client, None
        channel._pool = None  # the pool goes with the link
        with pytest.raises(AttributeError, match="hostname"):
            kombu_redis.QoS.restore_unacked(channel.qos)
        channel.qos.restore_unacked()
        channel.connection.client = kept
        channel.qos.restore_unacked()
        assert queue.qsize() == 1
        queue.close()


def test_a_task_whose_worker_was_killed_is_given_to_the_next_one(start_process: Start) -> None:
    first = _worker(start_process)
    sleep.apply_async(("long", 4.0), queue="upkeep")
    wait_until(lambda: _has("started.long"))
    first.kill()
    _worker(start_process)
    wait_until(lambda: _has("ended.long"), seconds=60)
