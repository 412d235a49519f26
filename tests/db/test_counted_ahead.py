"""The limits are counted while the token is looked up: once, and not for what is refused before them."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from django.db import DatabaseError

from accounts.tokens import TokenRefused
from assay_core.results import Status
from tests.db.faulty_questions import FAULTS, TOKEN, bound_world, good
from tests.db.investigated import Scripted
from toolbox import acknowledgements, gateway, limits, registry, steps, toolrules
from toolbox.called import Called
from toolbox.models import Call
from toolbox.patterns import Pattern
from toolbox.toolrules import Held, Standing

pytestmark = pytest.mark.django_db


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return bound_world(monkeypatch)


@pytest.fixture
def counted(redis_url: str) -> Iterator[Callable[[], tuple[int, int]]]:
    """Returns how often the agent and its tool were counted in this test."""
    keys = ("assay:limit:caller:token:agent", "assay:limit:tool:count_errors")
    limits._rest.until = 0.0
    with contextlib.closing(redis.from_url(redis_url)) as link:
        link.delete(*keys)
        yield lambda: (int(str(link.zcard(keys[0]))), int(str(link.zcard(keys[1]))))


def reading_of(*rules: Held, error: Exception | None = None) -> toolrules.Reading:
    """What stands is being read: this comes of it, once the rest of the call is as far as it gets by then."""

    def read(meanwhile: Callable[[], None] | None) -> Standing:
        assert meanwhile is not None
        meanwhile()
        if error is not None:
            raise error
        return Standing(rules)

    return read


def ask_count(reads: toolrules.Reading) -> Called:
    return gateway.call("count_errors", {"query": "x", "since": "y"}, TOKEN, standing=reads)


@pytest.mark.parametrize("name", [name for name in FAULTS if name != "proof"])
def test_what_is_refused_before_its_limits_is_not_counted_ahead_and_asks_no_database(
    connector: Scripted,
    counted: Callable[[], tuple[int, int]],
    django_assert_num_queries: Any,
    name: str,
) -> None:
    definition = registry.current().definitions["find_job"]
    assert acknowledgements.obstacle(definition) == ""
    faulty = FAULTS[name](good())
    with django_assert_num_queries(0):
        assert steps.ahead(faulty) is None
    assert counted()[0] == 0


def test_a_tool_that_nobody_has_seen_yet_is_not_counted_ahead(
    connector: Scripted, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        assert steps.ahead(good()) is None


def test_a_call_that_is_counted_ahead_is_counted_once(
    connector: Scripted, counted: Callable[[], tuple[int, int]]
) -> None:
    reads = reading_of()
    for number in (1, 2, 3):
        assert toolrules.as_read(None) == toolrules.lately() == Standing()
        assert ask_count(reads).status is Status.OBSERVED
        assert counted() == (number, number)


@pytest.mark.parametrize(("effect", "words"), [("deny", "denies it"), ("pause", "is paused")])
def test_a_rule_that_was_made_moments_ago_refuses_and_costs_the_tool_nothing(
    connector: Scripted, counted: Callable[[], tuple[int, int]], effect: str, words: str
) -> None:
    assert ask_count(reading_of()).status is Status.OBSERVED
    toolrules.as_read(None)
    called = ask_count(reading_of(Held(7, effect, Pattern("count_errors"), "of a test")))
    assert words in called.reason
    assert counted() == (2, 1)


def test_a_rule_that_was_made_moments_ago_speaks_before_a_limit_that_is_reached(
    connector: Scripted, counted: Callable[[], tuple[int, int]], settings: Any
) -> None:
    settings.CALLER_CALLS_A_MINUTE = 1
    assert ask_count(reading_of()).status is Status.OBSERVED
    toolrules.as_read(None)
    assert "asks too often" in ask_count(reading_of()).reason
    denied = ask_count(reading_of(Held(7, "deny", Pattern("*"), "of a test")))
    assert "denies it" in denied.reason


def test_a_caller_who_is_nobody_any_more_is_neither_counted_nor_recorded(
    connector: Scripted, counted: Callable[[], tuple[int, int]]
) -> None:
    assert ask_count(reading_of()).status is Status.OBSERVED
    toolrules.as_read(None)
    for error in (TokenRefused("the token was revoked"), DatabaseError("gone")):
        with pytest.raises(type(error)):
            ask_count(reading_of(error=error))
    assert counted() == (1, 1)
    assert Call.objects.count() == 1
    assert len(connector.asked) == 1
