"""Many workers and people at once, with real connections and commits."""

import contextlib
import json
import random
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import pytest
from django.db import connection

from accounts.models import User
from incidents import folding, intake, services, sweeping
from incidents.models import Delivery, Incident, Resolution, Signal
from incidents.moves import MoveRefused
from incidents.states import DeliveryState, State
from investigations.models import Investigation
from tests.db import issues
from tests.db.sources import NOW, a_resolve, an_alert, body_of, deliver, make_source, minutes

pytestmark = pytest.mark.usefixtures("committed_db")
T = TypeVar("T")


def at_once(work: Callable[[T], Any], items: Iterable[T], *, workers: int = 10) -> list[Any]:
    """Do all the work in threads, each with its own connection."""

    def alone(item: T) -> Any:
        try:
            return work(item)
        finally:
            connection.close()

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(alone, items))


def test_the_same_fifty_alerts_in_random_orders_fold_without_deadlock_or_lost_count() -> None:
    source = make_source()
    rng = random.Random(7)
    numbers = []
    for _ in range(12):
        alerts = [an_alert(str(number)) for number in range(50)]
        rng.shuffle(alerts)
        numbers.append(intake.receive(source, body_of(*alerts), {}, "", NOW).pk)
    at_once(lambda number: folding.fold(number, NOW), numbers)
    while Delivery.objects.filter(state=DeliveryState.RECEIVED).exists():
        at_once(lambda number: folding.fold(number, NOW), numbers)
    assert Incident.objects.count() == 50
    assert set(Incident.objects.values_list("signal_count", flat=True)) == {12}
    assert Signal.objects.count() == 600
    assert Investigation.objects.count() == 50


def test_one_delivery_folded_by_ten_workers_is_folded_once() -> None:
    delivery = intake.receive(make_source(), body_of(*(an_alert(str(n)) for n in range(20))), {}, "", NOW)
    at_once(lambda _: folding.fold(delivery.pk, NOW), range(10))
    assert Signal.objects.count() == 20
    assert set(Incident.objects.values_list("signal_count", flat=True)) == {1}


def test_folding_while_people_close_loses_no_signal(make_user: Callable[..., User]) -> None:
    source = make_source()
    by = make_user()
    deliver(source, body_of(an_alert()))
    numbers = [
        intake.receive(source, body_of(an_alert(starts=NOW + minutes(n))), {}, "", NOW + minutes(n)).pk
        for n in range(1, 11)
    ]

    def close() -> None:
        incident = Incident.objects.exclude(state=State.CLOSED).first()
        if incident is not None:
            with contextlib.suppress(MoveRefused):
                services.close(
                    incident.pk, by=by, outcome="real and fixed", answer="", reason="",
                    version=incident.version, now=NOW,
                )  # fmt: skip

    jobs: list[Callable[[], Any]] = [partial(folding.fold, number, NOW) for number in numbers]
    jobs += [close] * 6
    random.Random(3).shuffle(jobs)
    at_once(lambda job: job(), jobs, workers=8)
    assert not Delivery.objects.exclude(state=DeliveryState.FOLDED).exists()
    assert sum(Incident.objects.values_list("signal_count", flat=True)) == 11
    assert Incident.objects.exclude(state=State.CLOSED).count() <= 1
    assert all(incident.previous_id for incident in Incident.objects.order_by("pk")[1:])


def test_of_ten_people_who_close_at_once_one_closes_and_nine_are_told(
    make_user: Callable[..., User],
) -> None:
    deliver(make_source(), body_of(an_alert()))
    incident = Incident.objects.get()
    people = [make_user(f"p{number}") for number in range(10)]

    def close(by: User) -> str:
        try:
            services.close(
                incident.pk, by=by, outcome="real and fixed", answer=by.username, reason="",
                version=incident.version, now=NOW,
            )  # fmt: skip
        except MoveRefused as refusal:
            return str(refusal)
        return ""

    told = at_once(close, people)
    assert sorted(map(bool, told)) == [False] + [True] * 9
    assert Resolution.objects.count() == 1


def test_two_that_name_each_other_as_the_original_do_not_both_close(make_user: Callable[..., User]) -> None:
    by = make_user()
    deliver(make_source(), body_of(an_alert("a"), an_alert("b")))
    a, b = Incident.objects.order_by("pk")

    def close(pair: tuple[Incident, Incident]) -> bool:
        try:
            services.close(
                pair[0].pk, by=by, outcome="duplicate of", answer="", reason="",
                version=0, now=NOW, duplicate_of=pair[1].pk,
            )  # fmt: skip
        except MoveRefused:
            return False
        return True

    assert sorted(at_once(close, [(a, b), (b, a)])) == [False, True]


def test_of_many_sweeps_that_see_one_silence_one_reports_it() -> None:
    make_source("nightly", adapter="heartbeat", every_seconds=60, last_seen_at=NOW)
    news = at_once(lambda _: sweeping.report_silences(NOW + minutes(5)), range(8))
    assert sorted(news) == [0] * 7 + [1]
    assert Delivery.objects.count() == 1


def test_many_beats_at_once_do_not_lock_each_other_out() -> None:
    source = make_source("nightly", adapter="heartbeat", every_seconds=60, last_seen_at=NOW)
    at_once(lambda n: intake.receive(source, b"", {}, "", NOW + minutes(n)), range(20))
    source.refresh_from_db()
    assert source.last_seen_at == NOW + minutes(19)
    assert Delivery.objects.count() == 20


def test_a_firing_and_its_resolve_folded_at_once_end_the_same_whoever_is_first() -> None:
    source = make_source()
    numbers = []
    for name in "abcdefgh":
        numbers.append(intake.receive(source, body_of(an_alert(name)), {}, "", NOW).pk)
        resolve = body_of(a_resolve(name, ends=NOW + minutes(1)))
        numbers.append(intake.receive(source, resolve, {}, "", NOW + minutes(1)).pk)
    random.Random(5).shuffle(numbers)
    at_once(lambda number: folding.fold(number, NOW + minutes(2)), numbers)
    assert Incident.objects.count() == 8
    assert set(Incident.objects.values_list("recovered_at", flat=True)) == {NOW + minutes(1)}
    assert set(Incident.objects.values_list("signal_count", flat=True)) == {2}


def test_a_delivery_that_github_sends_ten_times_at_once_is_stored_and_folded_once() -> None:
    source = issues.a_source()
    body = json.dumps(issues.event()).encode()
    sent = issues.headers(source, body, identity="72d3162e-cc78-11e3-81ab-4c9367dc0958")
    stored = at_once(lambda _: intake.receive(source, body, sent, "192.0.2.7", NOW).pk, range(10))
    assert len(set(stored)) == 1
    at_once(lambda number: folding.fold(number, NOW), stored)
    assert Signal.objects.count() == Incident.objects.get().signal_count == 1
