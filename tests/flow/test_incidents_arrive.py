"""A delivery through the real web process, broker and workers, to an incident that waits for a person."""

import json
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
import redis

from incidents import sweeping
from incidents.models import Delivery, Incident, Source
from investigations.models import Investigation, Verdict
from tests.conftest import wait_until
from tests.db.sources import SECRET, an_alert, body_of, make_source


def post(address: str, body: bytes) -> int:
    request = urllib.request.Request(
        f"{address}/hooks/prometheus/", body, {"Authorization": f"Bearer {SECRET}"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        number: int = json.load(answer)["delivery"]
    return number


@pytest.fixture
def source(committed_db: None) -> Source:
    return make_source()


def test_a_delivery_is_folded_investigated_and_waits_for_a_person(
    source: Source, start_web: Callable[..., str], start_worker: Callable[..., Any]
) -> None:
    start_worker("upkeep", "investigate")
    post(start_web(), body_of(an_alert()))
    wait_until(lambda: Incident.objects.filter(state="review").exists(), seconds=60)
    incident = Incident.objects.get()
    assert incident.verdict_passed is False
    assert incident.verdict_reason
    assert Verdict.objects.count() == 1


def test_what_was_accepted_before_the_broker_was_emptied_is_judged_once(
    source: Source, start_web: Callable[..., str], start_worker: Callable[..., Any], redis_url: str
) -> None:
    address = start_web()
    numbers = [post(address, body_of(an_alert(str(number)))) for number in range(3)]
    broker = redis.from_url(redis_url)
    broker.flushall()
    broker.close()
    start_worker("upkeep", "investigate")
    Delivery.objects.update(next_try_at=Delivery.objects.order_by("pk").values("received_at")[:1])
    assert sweeping.resend_deliveries(Delivery.objects.latest("received_at").received_at) == len(numbers)
    wait_until(lambda: Incident.objects.filter(state="review").count() == 3, seconds=60)
    assert Investigation.objects.count() == Verdict.objects.count() == 3
