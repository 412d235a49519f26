"""What is told of a run reaches whoever watches: late, again, and never a secret."""

import asyncio
import contextlib
import threading
import time

import pytest
import redis
from pytest_django import Settings

from investigations import watching
from investigations.watching import ENDED, TEXT, Event, Watching

STREAM = watching.of_run(1)
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(autouse=True)
def _emptied(redis_url: str) -> None:
    with contextlib.closing(redis.from_url(redis_url)) as link:
        link.flushall()


def followed(after: str = "0", seconds: float = 5) -> list[Event]:
    async def follow() -> list[Event]:
        return [event async for event in watching.follow(STREAM, after, seconds=seconds) if event]

    return asyncio.run(follow())


def test_a_run_that_nobody_can_watch_goes_on(settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    told = Watching(STREAM)
    began = time.monotonic()
    for _ in range(200):
        told.note("step", {"number": 1})
    assert time.monotonic() - began < 15, "it must not wait for Redis at every step"
    assert watching.so_far(STREAM) == ()


def test_a_secret_is_masked_before_it_leaves_the_worker() -> None:
    told = Watching(STREAM)
    told.note("asked", {"tool": "find_job", "arguments": {"password": "hunter2hunter2", "note": SECRET}})
    told.hear(f"The token is {SECRET} and ")
    said = str(watching.so_far(STREAM))
    assert "redacted" in said
    assert "hunter2" not in said
    assert SECRET not in said


def test_a_secret_that_comes_in_pieces_is_never_told_in_part() -> None:
    told = Watching(STREAM)
    for piece in ("The token is ", SECRET[:12], SECRET[12:], " and"):
        told._told_at = 0
        told.hear(piece)
        assert SECRET[:12] not in str(watching.so_far(STREAM))


def test_the_answer_so_far_takes_the_place_of_what_was_told_before() -> None:
    told = Watching(STREAM)
    for piece in ("One ", "two ", "three "):
        told._told_at = 0
        told.hear(piece)
    texts = [event.payload["text"] for event in watching.so_far(STREAM) if event.kind == TEXT]
    assert texts == ["One two three "]


def test_a_late_watcher_reads_all_and_a_returning_one_goes_on_from_where_it_was() -> None:
    told = Watching(STREAM)
    told.note("began", {})
    told.note("asked", {"tool": "find_job"})
    told.note(ENDED, {"state": "judged"})
    events = followed()
    assert [event.kind for event in events] == ["began", "asked", ENDED]
    assert [event.kind for event in followed(events[0].id)] == ["asked", ENDED]


def test_a_watcher_sees_what_happens_while_it_watches() -> None:
    def happens() -> None:
        time.sleep(0.2)
        Watching(STREAM).note("asked", {"tool": "find_job"})
        Watching(STREAM).note(ENDED, {})

    other = threading.Thread(target=happens)
    other.start()
    assert [event.kind for event in followed()] == ["asked", ENDED]
    other.join()


def test_watching_ends_after_its_time_where_nothing_happens() -> None:
    began = time.monotonic()
    assert followed(seconds=0.3) == []
    assert time.monotonic() - began < 15


def test_a_connection_that_redis_closed_loses_at_most_what_was_just_being_told(redis_url: str) -> None:
    told = Watching(STREAM)
    told.note("began", {})
    with contextlib.closing(redis.from_url(redis_url)) as link:
        link.client_kill_filter(_id=watching._line.ask(redis_url, ["CLIENT", "ID"]))
    told.note("lost, perhaps", {})
    told.note("asked", {"tool": "find_job"})
    told.note(ENDED, {})
    assert [event.kind for event in watching.so_far(STREAM)][-2:] == ["asked", ENDED]


def test_what_redis_refuses_is_told_to_the_log_once_and_ends_nothing(
    redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with contextlib.closing(redis.from_url(redis_url)) as link:
        link.set(f"assay:live:{STREAM}", "no stream")
    told = Watching(STREAM)
    for _ in range(3):
        told.note("asked", {"tool": "find_job"})
    assert [record.message for record in caplog.records] == [
        f"nobody can watch {STREAM}: Redis does not answer (ResponseError)"
    ]
    with contextlib.closing(redis.from_url(redis_url)) as link:
        link.delete(f"assay:live:{STREAM}")
    other = Watching(STREAM)
    other.note("began", {})
    assert [event.kind for event in watching.so_far(STREAM)] == ["began"]
