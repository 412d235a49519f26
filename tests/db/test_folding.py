"""Deliveries fold into incidents."""

import json
from itertools import permutations
from typing import Any

import pytest

from audit import reading
from incidents import doubts, folding, intake, services
from incidents.models import Delivery, Incident, Signal, Source
from incidents.states import Condition, DeliveryState, Effect, State
from investigations.models import Investigation
from tests.db.sources import NOW, a_resolve, an_alert, body_of, deliver, make_source, minutes, only_incident

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Source:
    return make_source()


def close(incident: Incident, by: Any, at: Any) -> None:
    said: Any = {"outcome": "real and fixed", "answer": "Done.", "reason": ""}
    services.close(incident.pk, by=by, version=incident.version, now=at, **said)


def effects() -> list[str]:
    return list(Signal.objects.order_by("pk").values_list("effect", flat=True))


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        (b"", Condition.UNREADABLE),
        (b"not json", Condition.UNREADABLE),
        (b"[]", Condition.UNREADABLE),
        (b'{"alerts": [NaN]}', Condition.UNREADABLE),
        (b'{"alerts": []}', Condition.EMPTY),
        (b'{"alerts": {}}', Condition.PARTIAL),
        (b"{}", Condition.PARTIAL),
    ],
)
def test_what_holds_no_alert_is_folded_with_its_condition_and_opens_nothing(
    source: Source, body: bytes, condition: Condition
) -> None:
    delivery = deliver(source, body)
    assert (delivery.state, delivery.condition) == (DeliveryState.FOLDED, condition)
    assert bytes(delivery.body) == body
    assert bool(delivery.notes) is (condition is not Condition.EMPTY)
    assert not Incident.objects.exists()


def test_nul_and_half_characters_are_replaced_and_the_next_delivery_is_handled(source: Source) -> None:
    odd = (
        b'{"alerts": [{"status": "firing", "fingerprint": "a\\u0000\\ud83d",'
        b' "labels": {"na\\u0000me\\ud83d": "va\\ud83d\\u0000"},'
        b' "annotations": {"summary": "\\u0000\\udc00x"}}]}'
    )
    delivery = deliver(source, odd)
    incident = only_incident()
    assert delivery.state == DeliveryState.FOLDED
    assert incident.sender_key == "a\ufffd\ufffd"
    assert incident.labels == {"na\ufffdme\ufffd": "va\ufffd\ufffd"}
    assert incident.title == "\ufffd\ufffdx"
    assert any("replaced" in note for note in delivery.notes)
    deliver(source, body_of(an_alert("next")))
    assert Incident.objects.count() == 2


def test_an_alert_opens_one_incident_with_its_investigation_and_its_entry(source: Source) -> None:
    deliver(source, body_of(an_alert("a", labels={"alertname": "JobFailed", "job_id": "J-1"})))
    incident = only_incident()
    assert (incident.state, incident.kind, incident.title) == (State.OPEN, "alert", "Job a failed")
    assert incident.identifiers == {"alertname": "JobFailed", "job_id": "J-1"}
    assert incident.started_at == NOW
    assert Investigation.objects.get().incident_id == incident.pk
    kinds = [entry.kind for entry in reading.of_incident(incident.pk)]
    assert kinds[0] == "incident.opened"


def test_the_same_body_twice_counts_and_moves_only_the_last_time(source: Source) -> None:
    deliver(source, body_of(an_alert()))
    deliver(source, body_of(an_alert()), NOW + minutes(5))
    incident = only_incident()
    assert incident.signal_count == 2
    assert (incident.first_received_at, incident.last_received_at) == (NOW, NOW + minutes(5))
    assert Investigation.objects.count() == 1
    assert effects() == [Effect.OPENED, Effect.REPEATED]


def test_folding_the_same_delivery_again_changes_nothing(source: Source) -> None:
    delivery = deliver(source, body_of(an_alert()))
    assert folding.fold(delivery.pk, NOW)
    assert only_incident().signal_count == 1
    assert Signal.objects.count() == 1


def test_another_fingerprint_with_the_same_summary_is_another_incident(source: Source) -> None:
    summary: Any = {"annotations": {"summary": "the same"}}
    deliver(source, body_of(an_alert("a", **summary), an_alert("b", **summary)))
    assert Incident.objects.count() == 2


def test_the_same_fingerprint_from_another_source_is_another_incident(source: Source) -> None:
    deliver(source, body_of(an_alert()))
    deliver(make_source("other"), body_of(an_alert()))
    assert Incident.objects.count() == 2


def test_alerts_that_nothing_identifies_never_merge(source: Source) -> None:
    bare = {"status": "firing"}
    deliver(source, body_of(bare, bare))
    delivery = deliver(source, body_of(bare))
    assert Incident.objects.count() == 3
    assert delivery.condition == Condition.PARTIAL


def test_one_resolved_series_leaves_the_others_open(source: Source) -> None:
    deliver(source, body_of(an_alert("a"), an_alert("b"), an_alert("c")))
    deliver(source, body_of(a_resolve("b", ends=NOW + minutes(3)), status="resolved"), NOW + minutes(4))
    recovered = dict(Incident.objects.values_list("sender_key", "recovered_at"))
    assert recovered == {"fp-a": None, "fp-b": NOW + minutes(3), "fp-c": None}
    assert set(Incident.objects.values_list("state", flat=True)) == {State.OPEN}


def test_a_repeated_resolve_keeps_the_first_end(source: Source) -> None:
    deliver(source, body_of(an_alert()))
    for after in range(1, 6):
        resolve = body_of(a_resolve(ends=NOW + minutes(after)))
        deliver(source, resolve, NOW + minutes(after))
    assert only_incident().recovered_at == NOW + minutes(1)
    assert effects() == [Effect.OPENED, Effect.RECOVERED, *[Effect.REPEATED] * 4]


def test_a_resolve_for_an_unknown_key_is_kept_and_opens_nothing(source: Source) -> None:
    delivery = deliver(source, body_of(a_resolve(ends=NOW)))
    assert delivery.condition == Condition.WHOLE
    assert not Incident.objects.exists()
    assert effects() == [Effect.RESOLVED_ONLY]


def test_cut_off_alerts_are_counted_and_close_nothing(source: Source) -> None:
    deliver(source, body_of(an_alert("a"), an_alert("b")))
    cut = body_of(a_resolve("a", ends=NOW + minutes(1)), status="resolved", truncatedAlerts=7)
    delivery = deliver(source, cut, NOW + minutes(2))
    a, b = Incident.objects.order_by("sender_key")
    assert (a.not_shown_count, a.recovered_at) == (7, NOW + minutes(1))
    assert (b.not_shown_count, b.recovered_at) == (0, None)
    assert delivery.condition == Condition.PARTIAL
    assert any("7 alerts" in note for note in delivery.notes)


def test_firing_again_after_a_recovery_clears_it_and_counts_a_flap(source: Source) -> None:
    deliver(source, body_of(an_alert()))
    deliver(source, body_of(a_resolve(ends=NOW + minutes(1))), NOW + minutes(1))
    deliver(source, body_of(an_alert(starts=NOW + minutes(2))), NOW + minutes(2))
    incident = only_incident()
    assert (incident.recovered_at, incident.flap_count, incident.signal_count) == (None, 1, 3)
    assert Investigation.objects.count() == 1


@pytest.mark.parametrize("resolves", [True, False])
def test_firing_again_takes_away_a_pass_that_was_earned_before(source: Source, resolves: bool) -> None:
    deliver(source, body_of(an_alert()))
    Incident.objects.update(state=State.REVIEW, verdict_passed=True, verdict_reason="All its facts hold.")
    deliver(source, body_of(an_alert()), NOW + minutes(1))
    if resolves:
        deliver(source, body_of(a_resolve(ends=NOW + minutes(1))), NOW + minutes(1))
    assert only_incident().verdict_passed is True
    deliver(source, body_of(an_alert(starts=NOW + minutes(2))), NOW + minutes(2))
    incident = only_incident()
    assert (incident.state, incident.verdict_passed, incident.version) == (State.REVIEW, None, 1)
    assert "fired again" in incident.verdict_reason


def test_another_claim_under_the_same_reference_takes_the_pass_away() -> None:
    desk = make_source("desk", adapter="claim")
    said = {"title": "Refund?", "text": "Where is it?", "about": "refund", "reference": "T-1"}
    deliver(desk, json.dumps({**said, "order": "ORD-1", "email": "a@example.com"}).encode())
    Incident.objects.update(state=State.REVIEW, verdict_passed=True)
    deliver(desk, json.dumps({**said, "order": "ORD-1", "email": "a@example.com"}).encode())
    assert only_incident().verdict_passed is True
    deliver(desk, json.dumps({**said, "order": "ORD-2", "email": "b@example.com"}).encode())
    incident = only_incident()
    assert incident.verdict_passed is None
    assert "something else under the same key" in incident.verdict_reason


def test_more_words_under_a_claims_reference_take_its_pass_away() -> None:
    desk = make_source("desk", adapter="claim")
    said = {"title": "Refund?", "about": "refund", "reference": "T-1", "order": "ORD-1"}
    first, second = ({**said, "text": text} for text in ("Where is it?", "And my parcel came broken."))
    deliver(desk, json.dumps(first).encode())
    Incident.objects.update(state=State.REVIEW, verdict_passed=True)
    deliver(desk, json.dumps(first).encode())
    assert only_incident().verdict_passed is True
    deliver(desk, json.dumps(second).encode())
    incident = only_incident()
    assert incident.verdict_passed is None
    assert "written something else" in incident.verdict_reason
    assert doubts.came_meanwhile(incident, incident.episode_at) == doubts.MORE
    assert doubts.came_meanwhile(incident, incident.episode_at, opened_at=NOW + minutes(1)) == ""


def test_a_late_firing_of_an_ended_episode_is_stale(source: Source) -> None:
    deliver(source, body_of(an_alert()))
    deliver(source, body_of(a_resolve(ends=NOW + minutes(1))), NOW + minutes(1))
    deliver(source, body_of(an_alert()), NOW + minutes(2))
    incident = only_incident()
    assert (incident.recovered_at, incident.flap_count) == (NOW + minutes(1), 0)
    assert effects()[-1] == Effect.STALE


def test_a_late_firing_after_a_lone_resolve_opens_nothing(source: Source) -> None:
    deliver(source, body_of(a_resolve(ends=NOW + minutes(1))), NOW + minutes(1))
    deliver(source, body_of(an_alert()), NOW + minutes(2))
    assert not Incident.objects.exists()
    deliver(source, body_of(an_alert(starts=NOW + minutes(3))), NOW + minutes(3))
    assert only_incident().started_at == NOW + minutes(3)


def test_a_firing_that_its_resolve_overtook_in_our_workers_opens_and_has_recovered(
    source: Source,
) -> None:
    firing = intake.receive(source, body_of(an_alert()), {}, "", NOW)
    resolve = intake.receive(source, body_of(a_resolve(ends=NOW + minutes(1))), {}, "", NOW + minutes(1))
    folding.fold(resolve.pk, NOW + minutes(2))
    folding.fold(firing.pk, NOW + minutes(2))
    incident = only_incident()
    assert (incident.recovered_at, incident.signal_count) == (NOW + minutes(1), 2)
    assert effects() == [Effect.RECOVERED, Effect.OPENED]
    assert Investigation.objects.count() == 1


def test_a_late_resolve_of_an_older_episode_does_not_end_the_newer_one(source: Source) -> None:
    deliver(source, body_of(an_alert()))
    deliver(source, body_of(an_alert(starts=NOW + minutes(5))), NOW + minutes(5))
    deliver(source, body_of(a_resolve(ends=NOW + minutes(2))), NOW + minutes(6))
    assert only_incident().recovered_at is None
    assert effects()[-1] == Effect.STALE


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_group_ends_the_same_in_any_order(source: Source, order: tuple[int, ...]) -> None:
    deliver(source, body_of(an_alert("a"), an_alert("b")))
    group = [
        a_resolve("a", ends=NOW + minutes(1)),
        an_alert("b"),
        an_alert("c", starts=NOW + minutes(1)),
    ]
    deliver(source, body_of(*(group[place] for place in order)), NOW + minutes(2))
    ends = dict(Incident.objects.values_list("sender_key", "recovered_at"))
    assert ends == {"fp-a": NOW + minutes(1), "fp-b": None, "fp-c": None}


def test_both_zones_of_one_moment_are_one_episode(source: Source) -> None:
    deliver(source, body_of(an_alert(startsAt="2026-03-01T12:00:00Z")))
    deliver(source, body_of(an_alert(startsAt="2026-03-01T20:00:00+08:00")))
    incident = only_incident()
    assert (incident.started_at, incident.signal_count) == (NOW, 2)


def test_a_start_in_the_future_is_kept_noted_and_does_not_hide_later_firings(source: Source) -> None:
    ahead = an_alert(starts=NOW + minutes(120))
    deliver(source, body_of(ahead))
    incident = only_incident()
    assert incident.started_at == NOW + minutes(120)
    assert "sender's clock" in incident.sender_clock_note
    deliver(source, body_of({**ahead, "status": "resolved"}), NOW + minutes(5))
    assert only_incident().recovered_at == NOW + minutes(5)
    deliver(source, body_of(an_alert(starts=NOW + minutes(10))), NOW + minutes(10))
    assert only_incident().recovered_at is None


def test_without_a_start_the_receipt_stands_in_and_is_noted(source: Source) -> None:
    deliver(source, body_of(an_alert(starts=None)))
    incident = only_incident()
    assert incident.started_at == NOW
    assert "time of receipt" in incident.sender_clock_note


def test_firing_after_a_close_opens_a_new_one_that_links_back(source: Source, make_user: Any) -> None:
    deliver(source, body_of(an_alert()))
    first = only_incident()
    close(first, make_user(), NOW + minutes(1))
    deliver(source, body_of(an_alert(starts=NOW + minutes(2))), NOW + minutes(2))
    second = Incident.objects.exclude(pk=first.pk).get()
    assert (second.previous_id, second.signal_count, second.state) == (first.pk, 1, State.OPEN)
    assert Investigation.objects.filter(incident_id=second.pk).count() == 1


def test_what_came_in_before_the_close_and_is_folded_after_it_opens_nothing(
    source: Source, make_user: Any
) -> None:
    deliver(source, body_of(an_alert()))
    late = intake.receive(source, body_of(an_alert()), {}, "", NOW + minutes(1))
    close(only_incident(), make_user(), NOW + minutes(2))
    folding.fold(late.pk, NOW + minutes(3))
    assert Incident.objects.count() == 1
    assert effects()[-1] == Effect.REPEATED


def test_a_resolve_after_the_close_is_noted_on_the_closed_one(source: Source, make_user: Any) -> None:
    deliver(source, body_of(an_alert()))
    close(only_incident(), make_user(), NOW + minutes(1))
    deliver(source, body_of(a_resolve(ends=NOW + minutes(2))), NOW + minutes(3))
    incident = only_incident()
    assert (incident.recovered_at, incident.state) == (NOW + minutes(2), State.CLOSED)


def test_a_poison_delivery_is_put_aside_and_the_rest_proceeds(source: Source, settings: Any) -> None:
    settings.DELIVERY_TRIES = 3
    poison = intake.receive(source, body_of(an_alert("poison", labels={"alertname": "P"})), {}, "", NOW)
    Source.objects.filter(pk=source.pk).update(adapter="no such adapter")
    for turn in range(3):
        folding.fold(poison.pk, NOW + minutes(turn))
    Source.objects.filter(pk=source.pk).update(adapter="alertmanager")
    poison.refresh_from_db()
    assert poison.state == DeliveryState.PARKED
    assert "no such adapter" in poison.notes[0]
    deliver(source, body_of(an_alert("good")))
    assert only_incident().sender_key == "fp-good"


def test_a_failed_try_waits_longer_each_time(source: Source) -> None:
    poison = intake.receive(source, body_of(an_alert()), {}, "", NOW)
    Source.objects.filter(pk=source.pk).update(adapter="no such adapter")
    waits = []
    for _ in range(3):
        folding.fold(poison.pk, NOW)
        poison.refresh_from_db()
        assert poison.next_try_at is not None
        waits.append(poison.next_try_at - NOW)
    assert waits == sorted(set(waits))
    assert poison.state == DeliveryState.RECEIVED


def test_a_large_delivery_is_folded_in_slices_and_let_others_pass(source: Source, redis_url: str) -> None:
    count = folding.CHUNK * 2 + 10
    alerts = [an_alert(str(number)) for number in range(count)]
    delivery = intake.receive(source, body_of(*alerts), {}, "", NOW)
    ticks = iter([0.0, 1e9])
    assert not folding.fold(delivery.pk, NOW, clock=lambda: next(ticks))
    assert Signal.objects.count() == folding.CHUNK
    delivery.refresh_from_db()
    assert (delivery.state, delivery.tries) == (DeliveryState.RECEIVED, 0)
    while not folding.fold(delivery.pk, NOW):
        pass
    assert Incident.objects.count() == count
    assert Delivery.objects.get().state == DeliveryState.FOLDED


def test_over_long_fields_are_cut_with_a_mark_and_long_keys_are_hashed(source: Source) -> None:
    huge = "x" * 300_000
    deliver(
        source,
        body_of(an_alert("a", fingerprint=huge, labels={"alertname": huge}, annotations={"summary": huge})),
    )
    incident = only_incident()
    assert len(incident.title) == 300
    assert incident.title.endswith("[cut]")
    assert incident.sender_key.startswith("sha256:")
    assert len(json.dumps(incident.labels)) < 2_000
    assert incident.identifiers == {}


def test_a_claim_becomes_an_incident_of_its_kind() -> None:
    source = make_source("support", adapter="claim")
    claim = {"subject": "Where is it?", "text": "Not here.", "about": "delivery"}
    claim |= {"order": "ORD-1", "reference": "T-9"}
    deliver(source, json.dumps(claim).encode())
    incident = only_incident()
    assert (incident.kind, incident.sender_key) == ("claim", "T-9")
    assert incident.labels == {"about": "delivery"}
    assert incident.identifiers == {"order_id": "ORD-1", "reference": "T-9"}
    assert services.subject_of(incident)["order_id"] == "ORD-1"
