"""What is expected of the example deliveries, and how a difference is told."""

import json
from datetime import UTC, datetime

from examples.shop import deliveries
from examples.shop.expectations import compare, expected, false_passes
from incidents.adapters import READERS
from incidents.states import Condition, Event
from tests.pure.shipped_rules import SHOP

NOW = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
SOURCES = {one["slug"]: one for one in json.loads((SHOP / "sources.json").read_text(encoding="utf-8"))}
PEOPLE = json.loads((SHOP / "people.json").read_text(encoding="utf-8"))
ROW = {**expected()[0], "reason": expected()[0]["reason_contains"]}


def test_a_missing_a_different_and_an_unexpected_incident_are_told() -> None:
    want = expected()[0]
    assert compare([want], [ROW]) == []
    assert compare([want], []) == [f"{want['name']}: 0 incidents came of it, and one should"]
    assert compare([want], [ROW, ROW]) == [f"{want['name']}: 2 incidents came of it, and one should"]
    other = {**ROW, "passed": not want["passed"], "reason": "something else"}
    assert [each.split(": ")[0] for each in compare([want], [other])] == [want["name"]] * 2
    assert compare([], [ROW]) == [f"nobody expects {ROW['source']} {ROW['sender_key']}"]


def test_with_a_model_only_a_pass_that_should_be_none_is_told() -> None:
    earned = next(want for want in expected() if want["passed"])
    failed = next(want for want in expected() if not want["passed"])
    assert false_passes([earned, failed], [{**earned, "passed": False}, earned, failed]) == []
    told = false_passes([earned, failed], [{**failed, "passed": True}, {**earned, "sender_key": "other"}])
    assert ["should not have" in each for each in told] == [True, True]


def test_every_incident_of_the_deliveries_is_expected_and_no_other() -> None:
    keys = {("schedule", "heartbeat:nightly-backup")}
    for one in deliveries.render(NOW):
        reading = READERS[SOURCES[one.source]["adapter"]](one.body, NOW, {})
        is_whole = reading.condition is Condition.WHOLE or reading.not_shown == 7
        assert is_whole, f"{one.name}: {reading.notes}"
        keys |= {
            (one.source, signal.sender_key) for signal in reading.signals if signal.event is Event.FIRING
        }
    assert {(want["source"], want["sender_key"]) for want in expected()} == keys


def test_deliveries_differ_from_each_other_and_are_the_same_each_time() -> None:
    bodies = [one.body for one in deliveries.render(NOW)]
    assert len(bodies) == len(set(bodies)) >= 16
    assert bodies == [one.body for one in deliveries.render(NOW)]
    assert len({one.name for one in deliveries.render(NOW)}) == len(bodies)


def test_earned_passes_honest_fails_and_traps_are_among_them() -> None:
    wanted = expected()
    assert sum(want["passed"] for want in wanted) >= 5
    assert sum(not want["passed"] for want in wanted) >= 9
    assert {want["hypothesis"] for want in wanted if want["passed"]} >= {
        "transient_upstream_timeout",
        "refund_already_paid",
        "watchdog_heartbeat",
    }


def test_every_role_has_a_person_and_two_can_approve() -> None:
    roles = [one["role"] for one in PEOPLE]
    assert set(roles) == {"support", "on-call", "manager", "administrator", "auditor"}
    assert roles.count("on-call") == 2
    assert all(len(one["password"]) >= 12 for one in PEOPLE)
