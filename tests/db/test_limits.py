"""Limits under parallel calls and without Redis: never exceeded, by all processes or by each alone."""

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from tests.db.investigated import together
from toolbox import limits
from toolbox.limits import Limit
from toolbox.scope import Budget

AWAY = "redis://127.0.0.1:1/0"


@pytest.fixture
def shared(redis_url: str) -> None:
    """Redis at hand, without the counts of other tests."""
    with contextlib.closing(redis.from_url(redis_url)) as link:
        for key in link.scan_iter("assay:limit:test*"):
            link.delete(key)
    limits._rest.until = 0.0


@pytest.fixture
def alone(settings: Any) -> Iterator[None]:
    """Redis out of reach."""
    settings.REDIS_URL = AWAY
    limits._rest.until = 0.0
    limits._own.moments.clear()
    yield
    limits._rest.until = 0.0


def limit(most: int, *, key: str = "test", seconds: float = 60.0) -> Limit:
    return Limit(key, most, seconds, "the agent asks too often")


@pytest.mark.usefixtures("shared")
def test_twenty_parallel_calls_take_exactly_what_the_limit_has() -> None:
    results = together(*[lambda: [limits.take([limit(30)]).refusal for _ in range(5)]] * 20)
    flat = [refusal for one in results for refusal in one]
    assert len(flat) == 100
    assert sum(not refusal for refusal in flat) == 30


@pytest.mark.usefixtures("alone")
def test_without_redis_each_process_counts_alone_and_no_more_than_the_limit() -> None:
    results = together(*[lambda: [limits.take([limit(30)]) for _ in range(5)]] * 20)
    flat = [taken for one in results for taken in one]
    assert sum(not taken.refusal for taken in flat) == 30
    assert not any(taken.is_shared for taken in flat)


def test_a_run_of_twenty_threads_never_spends_more_than_its_budget() -> None:
    budget = Budget(30)
    results = together(*[lambda: [budget.take() for _ in range(5)]] * 20)
    assert sum(is_taken for one in results for is_taken in one) == 30


@pytest.mark.parametrize("where", ["shared", "alone"])
def test_a_call_beyond_one_limit_is_counted_against_none(where: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(where)
    wide, narrow = limit(5, key="test-wide"), limit(1, key="test-narrow")
    assert limits.take([wide, narrow]).refusal == ""
    for _ in range(9):
        assert limits.take([wide, narrow]).refusal
    assert [limits.take([wide]).refusal == "" for _ in range(5)] == [True, True, True, True, False]


@pytest.mark.parametrize("where", ["shared", "alone"])
def test_a_limit_opens_again_when_its_span_is_over_and_says_when(
    where: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(where)
    short = limit(2, seconds=0.3, key="test-short")
    assert [bool(limits.take([short]).refusal) for _ in range(3)] == [False, False, True]
    assert "(2 in 0.3 s); the next one is possible in 0 s" in limits.take([short]).refusal
    time.sleep(0.35)
    assert limits.take([short]).refusal == ""


@pytest.mark.parametrize("where", ["shared", "alone"])
def test_a_call_that_is_only_noted_is_never_refused_and_still_fills_the_limit(
    where: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(where)
    one = limit(2, key="test-noted")
    assert [limits.note([one]).refusal for _ in range(4)] == ["", "", "", ""]
    assert limits.take([one]).refusal


@pytest.mark.usefixtures("alone")
def test_a_redis_that_is_away_costs_no_call_its_patience_twice(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(20):
        limits.take([limit(1000)])
    began = time.perf_counter()
    for _ in range(100):
        limits.take([limit(1000)])
    assert time.perf_counter() - began < 1
    assert [record.message for record in caplog.records] == [
        "limits are counted by each process alone: Redis does not answer (ConnectionError)"
    ]


@pytest.mark.usefixtures("shared")
def test_the_count_is_shared_again_once_redis_is_back(settings: Any, redis_url: str) -> None:
    settings.REDIS_URL = AWAY
    assert limits.take([limit(9)]).is_shared is False
    settings.REDIS_URL = redis_url
    assert limits.take([limit(9)]).is_shared is False
    limits._rest.until = 0.0
    assert limits.take([limit(9)]).is_shared is True


@pytest.mark.usefixtures("shared")
def test_a_kept_connection_that_redis_closed_is_opened_again_and_counts_once(redis_url: str) -> None:
    assert limits.take([limit(2)]).is_shared
    with contextlib.closing(redis.from_url(redis_url)) as link:
        link.client_kill_filter(_id=limits._line.ask(redis_url, ["CLIENT", "ID"]))
    assert limits.take([limit(2)]) == limits.Taken()
    assert limits.take([limit(2)]).refusal


@pytest.mark.usefixtures("shared")
def test_a_redis_that_forgot_the_script_is_given_it_again(redis_url: str) -> None:
    assert limits.take([limit(2)]) == limits.Taken()
    with contextlib.closing(redis.from_url(redis_url)) as link:
        link.script_flush()
    assert limits.take([limit(2)]) == limits.Taken()
    assert limits.take([limit(2)]).refusal


@pytest.mark.usefixtures("shared")
def test_what_redis_keeps_goes_by_itself(redis_url: str) -> None:
    limits.take([limit(3, seconds=2.0, key="test-gone")])
    with contextlib.closing(redis.from_url(redis_url)) as link:
        left = int(str(link.pttl("assay:limit:test-gone")))
    assert 0 < left <= 2000


@pytest.mark.parametrize("where", ["shared", "alone"])
def test_a_call_that_is_given_back_was_never_counted_and_takes_no_other_one_along(
    where: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(where)
    wide, narrow = limit(3, key="test-wide"), limit(2, key="test-narrow")
    kept, idle = limits.take([wide, narrow]), limits.take([wide, narrow])
    limits.take([wide, narrow]).give_back()  # refused: it counts nothing that could be given back
    for _ in range(2):
        idle.give_back()
    assert not kept.refusal
    assert [limits.take([wide, narrow]).refusal == "" for _ in range(2)] == [True, False]
    assert [limits.take([wide]).refusal == "" for _ in range(2)] == [True, False]


@pytest.mark.usefixtures("shared")
def test_what_cannot_be_given_back_stays_counted(settings: Any, redis_url: str) -> None:
    idle = limits.take([limit(1)])
    settings.REDIS_URL = AWAY
    idle.give_back()
    settings.REDIS_URL = redis_url
    assert limits.take([limit(1)]).refusal
