"""What was lost on the way is sent again, and silence is reported."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import redis

from incidents import folding, intake, sending, sweeping
from incidents.models import Delivery, Incident, Source
from incidents.states import DeliveryState
from investigations.models import Investigation
from tests.db.sources import NOW, an_alert, body_of, deliver, make_source, minutes


@pytest.fixture(autouse=True)
def no_pause() -> Iterator[None]:
    sending._resume_at = 0.0
    yield
    sending._resume_at = 0.0


@pytest.fixture
def queue(redis_url: str) -> Iterator[Callable[[str], list[tuple[str, int]]]]:
    """The tasks that wait in a queue of the broker: name and id."""
    broker = redis.from_url(redis_url)

    def waiting(name: str) -> list[tuple[str, int]]:
        messages = [json.loads(raw) for raw in broker.lrange(name, 0, -1)]
        return [(m["headers"]["task"], json.loads(m["headers"]["argsrepr"].strip("(),"))) for m in messages]

    broker.delete("upkeep", "investigate")
    yield waiting
    broker.delete("upkeep", "investigate")
    broker.close()


def eventually(read: Callable[[], Any], seconds: float = 10) -> Any:
    """Return what `read` returns once it is something: the broker is told by a thread of its own."""
    until = time.monotonic() + seconds
    while not (found := read()) and time.monotonic() < until:
        time.sleep(0.01)
    return found


def fold_silences() -> None:
    for number in Delivery.objects.filter(state="received").values_list("pk", flat=True):
        folding.fold(number, NOW)


@pytest.mark.django_db
class TestWhatWasLost:
    def test_a_delivery_that_nobody_folded_is_sent_once_it_is_due(self, queue: Any) -> None:
        delivery = intake.receive(make_source(), body_of(an_alert()), {}, "", NOW)
        assert sweeping.resend_deliveries(NOW) == 0
        assert sweeping.resend_deliveries(NOW + minutes(1)) == 1
        assert queue("upkeep") == [("incidents.tasks.fold", delivery.pk)]

    def test_a_message_that_waits_is_not_doubled_by_every_sweep(self, queue: Any) -> None:
        intake.receive(make_source(), body_of(an_alert()), {}, "", NOW)
        assert sweeping.resend_deliveries(NOW + minutes(1)) == 1
        assert sweeping.resend_deliveries(NOW + minutes(1) + timedelta(seconds=5)) == 0
        assert sweeping.resend_deliveries(NOW + minutes(3)) == 1

    def test_folded_and_parked_deliveries_are_left_alone(self, queue: Any) -> None:
        deliver(make_source(), body_of(an_alert()))
        parked = intake.receive(make_source("b"), b"", {}, "", NOW)
        Delivery.objects.filter(pk=parked.pk).update(state="parked")
        assert sweeping.resend_deliveries(NOW + minutes(9)) == 0

    def test_an_investigation_that_nobody_runs_is_sent_again(self, queue: Any) -> None:
        deliver(make_source(), body_of(an_alert()))
        assert sweeping.resend_investigations(NOW + minutes(60)) == 1
        number = Investigation.objects.get().pk
        assert queue("investigate") == [("incidents.tasks.investigate", number)]

    def test_while_the_broker_is_away_what_is_due_stays_due(self, settings: Any) -> None:
        delivery = intake.receive(make_source(), body_of(an_alert()), {}, "", NOW)
        due = delivery.next_try_at
        sending._resume_at = time.monotonic() + 60
        sweeping.resend_deliveries(NOW + minutes(1))
        delivery.refresh_from_db()
        assert delivery.next_try_at == due


@pytest.mark.django_db
class TestSilence:
    def make(self, **values: Any) -> Source:
        values = {"every_seconds": 60, "grace_seconds": 30, "last_seen_at": NOW, **values}
        return make_source("nightly", adapter="heartbeat", **values)

    @pytest.mark.parametrize("values", [{"is_active": False}, {"every_seconds": None}])
    def test_a_heartbeat_that_is_off_is_not_missed(self, values: Any) -> None:
        self.make(**values)
        assert sweeping.report_silences(NOW + minutes(60)) == 0

    def test_within_its_grace_a_beat_is_not_missed(self) -> None:
        self.make()
        assert sweeping.report_silences(NOW + timedelta(seconds=89)) == 0

    def test_silence_opens_one_incident_by_the_schedule(self) -> None:
        self.make()
        assert sweeping.report_silences(NOW + timedelta(seconds=90)) == 1
        assert sweeping.report_silences(NOW + minutes(5)) == 0
        fold_silences()
        incident = Incident.objects.get()
        assert (incident.source.slug, incident.kind) == ("schedule", "alert")
        assert incident.title == "Heartbeat nightly is silent"
        assert incident.labels == {"alertname": "HeartbeatMissed", "heartbeat": "nightly"}
        assert incident.identifiers["heartbeat"] == "nightly"
        assert incident.started_at == NOW + timedelta(seconds=90)
        assert Investigation.objects.filter(incident_id=incident.pk).exists()

    def test_a_heartbeat_that_never_came_is_missed_too(self) -> None:
        self.make(last_seen_at=None, created_at=NOW)
        assert sweeping.report_silences(NOW + minutes(2)) == 1
        fold_silences()
        assert Incident.objects.get().annotations["last_beat_at"] == "never"

    def test_the_next_beat_is_the_recovery_and_the_next_silence_a_new_firing(self) -> None:
        source = self.make()
        sweeping.report_silences(NOW + minutes(2))
        intake.receive(source, b"", {}, "", NOW + minutes(3))
        fold_silences()
        assert Incident.objects.get().recovered_at == NOW + minutes(3)
        assert sweeping.report_silences(NOW + minutes(4)) == 0
        assert sweeping.report_silences(NOW + minutes(6)) == 1
        fold_silences()
        incident = Incident.objects.get()
        assert (incident.recovered_at, incident.flap_count) == (None, 1)

    def test_a_beat_between_the_look_and_the_report_wins(self) -> None:
        source = self.make()
        stale = Source.objects.get(pk=source.pk)
        intake.receive(source, b"", {}, "", NOW + minutes(2))
        assert not intake.report_silence(stale, silent_since_at=NOW + minutes(1), now=NOW + minutes(2))

    def test_a_silence_belongs_to_the_team_of_its_heartbeat(self) -> None:
        from accounts.models import Team

        team = Team.objects.create(name="Platform", slug="platform")
        self.make(team=team)
        sweeping.report_silences(NOW + minutes(2))
        fold_silences()
        assert Incident.objects.get().team == team

    def test_a_beat_that_arrives_late_does_not_turn_the_clock_back(self) -> None:
        source = self.make(last_seen_at=NOW + minutes(5))
        intake.receive(source, b"", {}, "", NOW)
        source.refresh_from_db()
        assert source.last_seen_at == NOW + minutes(5)


class TestTheBroker:
    def test_a_broker_that_refuses_costs_no_time_and_no_delivery(
        self, committed_db: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from celery import current_app

        monkeypatch.setattr(current_app.conf, "broker_url", "redis://127.0.0.1:1/0")
        started = time.monotonic()
        delivery = intake.receive(make_source(), body_of(an_alert()), {}, "", NOW)
        assert time.monotonic() - started < 1
        assert eventually(lambda: sending._resume_at), "the thread has tried, and leaves the broker alone"
        assert Delivery.objects.get(pk=delivery.pk).state == DeliveryState.RECEIVED

    def test_a_broker_that_never_answers_holds_no_sender_up(
        self, committed_db: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from celery import current_app

        with socket.create_server(("127.0.0.1", 0)) as deaf:
            monkeypatch.setattr(
                current_app.conf, "broker_url", f"redis://127.0.0.1:{deaf.getsockname()[1]}/0"
            )
            source = make_source()
            waits = []
            for _ in range(3):
                started = time.monotonic()
                intake.receive(source, body_of(an_alert()), {}, "", NOW)
                waits.append(time.monotonic() - started)
            assert eventually(lambda: sending._resume_at), "the thread gave up on the broker"
        assert max(waits) < 0.5
        assert Delivery.objects.count() == 3

    def test_a_broker_that_was_emptied_loses_nothing(
        self, committed_db: None, queue: Any, redis_url: str
    ) -> None:
        delivery = intake.receive(make_source(), body_of(an_alert()), {}, "", NOW)
        assert eventually(lambda: queue("upkeep")) == [("incidents.tasks.fold_several", [delivery.pk])]
        broker = redis.from_url(redis_url)
        broker.flushall()
        assert sweeping.resend_deliveries(NOW + minutes(1)) == 1
        assert queue("upkeep") == [("incidents.tasks.fold", delivery.pk)]
        folding.fold(delivery.pk, NOW)
        assert len(queue("investigate")) == 1
        broker.flushall()
        broker.close()
        assert sweeping.resend_investigations(NOW + minutes(60)) == 1
        assert len(queue("investigate")) == 1
