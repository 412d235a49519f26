"""Alertmanager's webhook, read."""

import gzip
import json
import os
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from incidents.adapters import alertmanager
from incidents.adapters.reading import Notes, Reading, SignalValue
from incidents.states import Condition, Event
from toolbox import redaction

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def read(whole: Any) -> Reading:
    body = whole if isinstance(whole, bytes) else json.dumps(whole).encode()
    return alertmanager.read(body, NOW)


def read_one(**alert: Any) -> tuple[SignalValue, Reading]:
    base = {
        "status": "firing",
        "fingerprint": "f",
        "labels": {"alertname": "A"},
        "startsAt": "2026-03-01T11:00:00Z",
    }
    reading = read({"alerts": [{**base, **alert}]})
    return reading.signals[0], reading


UNREADABLE = [
    b"",
    b" ",
    b"null",
    b"[]",
    b'"text"',
    b"1",
    b"{",
    b'{"alerts": []} and more',
    b'{"alerts": []}{"alerts": []}',
    b'{"alerts": [], "x": NaN}',
    b'{"alerts": [], "x": Infinity}',
    b'{"alerts": [], "x": -Infinity}',
    b'{"alerts": [], "x": 1e999}',
    b'{"alerts": [], "x": ' + b"9" * 5_000 + b"}",
    b'{"alerts": [], "alerts": []}',
    b'{"alerts": [{"labels": {"a": "1", "a": "2"}}]}',
    b'{"alerts": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b'{"a":' * 100_000,
    b'{"alerts": "\xff"}',
    b'{"alerts": [], "x": "\x00"}',
    b"\x00\x01\x02",
    b"<html></html>",
    gzip.compress(b'{"alerts": []}'),
]


def test_what_is_not_one_json_object_that_can_be_read_in_one_way_is_unreadable() -> None:
    for body in UNREADABLE:
        reading = alertmanager.read(body, NOW)
        assert reading.condition is Condition.UNREADABLE, body[:80]
        assert len(reading.notes) == 1, body[:80]
        assert reading.signals == (), body[:80]
        reading.notes[0].encode()


def test_no_alerts_is_empty() -> None:
    assert read({"alerts": []}).condition is Condition.EMPTY


@pytest.mark.parametrize("alerts", [None, {}, "text", 1, True])
def test_alerts_that_are_no_list_are_partial(alerts: Any) -> None:
    reading = read({"alerts": alerts})
    assert reading.condition is Condition.PARTIAL
    assert reading.signals == ()
    assert "alerts is" in reading.notes[0]


def test_an_empty_list_from_which_alerts_were_cut_is_partial_and_says_how_many() -> None:
    reading = read({"alerts": [], "truncatedAlerts": 5})
    assert (reading.condition, reading.not_shown) == (Condition.PARTIAL, 5)


@pytest.mark.parametrize("count", ["3", -1, 1.5, True, None, [], 2**40])
def test_a_count_of_cut_alerts_that_is_none_is_noted(count: Any) -> None:
    reading = read({"alerts": [], "truncatedAlerts": count})
    assert (reading.condition, reading.not_shown) == (Condition.PARTIAL, 0)


@pytest.mark.parametrize("alert", [None, "text", 1, [], True])
def test_an_alert_that_is_no_object_is_left_out_and_its_neighbours_are_kept(alert: Any) -> None:
    good = {"status": "firing", "fingerprint": "f", "labels": {"alertname": "A"}}
    reading = read({"alerts": [good, alert, good]})
    assert reading.condition is Condition.PARTIAL
    assert [signal.position for signal in reading.signals] == [0, 2]


@pytest.mark.parametrize("labels", [None, [], "text", 1])
def test_labels_that_are_no_object_are_partial_and_the_alert_is_kept(labels: Any) -> None:
    signal, reading = read_one(labels=labels)
    assert signal.labels == {}
    assert signal.sender_key == "f"
    assert reading.condition is Condition.PARTIAL
    assert any("labels" in note for note in reading.notes)


@pytest.mark.parametrize(
    ("value", "kept"),
    [(1, "1"), (None, ""), (True, "true"), ({"b": [1]}, '{"b": [1]}'), ([1, "x"], '[1, "x"]')],
)
def test_a_label_that_is_not_text_is_kept_as_json_and_noted(value: Any, kept: str) -> None:
    signal, reading = read_one(labels={"alertname": "A", "odd": value})
    assert signal.labels["odd"] == kept
    assert reading.condition is Condition.PARTIAL


def test_the_alerts_own_status_counts_and_not_the_envelopes() -> None:
    alerts = [{"status": "firing", "fingerprint": "a", "labels": {"a": "1"}}]
    reading = read({"status": "resolved", "alerts": alerts})
    assert reading.signals[0].event is Event.FIRING
    alerts[0]["status"] = "resolved"
    assert read({"status": "firing", "alerts": alerts}).signals[0].event is Event.RESOLVED


@pytest.mark.parametrize("status", [None, "pending", "RESOLVED", "", 1, [], {}])
def test_a_status_that_nobody_knows_is_taken_as_firing_and_noted(status: Any) -> None:
    signal, reading = read_one(status=status)
    assert signal.event is Event.FIRING
    assert reading.condition is Condition.PARTIAL


def test_an_end_in_year_one_is_no_end() -> None:
    signal, _ = read_one(status="resolved", endsAt="0001-01-01T00:00:00Z")
    assert signal.ends_at is None


def test_the_end_of_a_firing_alert_is_when_the_sender_gives_it_up_and_not_an_end() -> None:
    signal, _ = read_one(endsAt="2026-03-01T12:04:00Z")
    assert signal.ends_at is None


def test_a_missing_fingerprint_is_made_from_the_labels_in_any_order() -> None:
    one, reading = read_one(fingerprint=None, labels={"b": "2", "a": "1"})
    two, _ = read_one(fingerprint="", labels={"a": "1", "b": "2"})
    other, _ = read_one(fingerprint=None, labels={"a": "12", "b": ""})
    assert one.sender_key == two.sender_key != other.sender_key
    assert reading.condition is Condition.PARTIAL


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": "x" * 1_000 + "1"}, {"a": "x" * 1_000 + "2"}),
        ({"n" * 120 + "1": "x"}, {"n" * 120 + "2": "x"}),
        (
            {f"l{number:03}": "x" for number in range(101)},
            {f"l{number:03}": "x" for number in range(100)} | {"m": "x"},
        ),
    ],
)
def test_labels_that_differ_beyond_what_is_kept_are_two_alerts(
    one: dict[str, str], other: dict[str, str]
) -> None:
    first, _ = read_one(fingerprint=None, labels=one)
    second, _ = read_one(fingerprint=None, labels=other)
    assert first.sender_key != second.sender_key


def test_the_fingerprint_made_is_the_one_that_prometheus_makes() -> None:
    labels = {"name": "garland, briggs", "fear": "love is not enough"}
    assert int(alertmanager.fingerprint(labels), 16) == 5799056148416392346


def test_without_fingerprint_and_labels_there_is_no_key() -> None:
    signal, reading = read_one(fingerprint=None, labels={})
    assert signal.sender_key == ""
    assert any("stands alone" in note for note in reading.notes)


def test_a_fingerprint_that_is_a_number_is_its_text() -> None:
    signal, reading = read_one(fingerprint=7)
    assert signal.sender_key == "7"
    assert reading.condition is Condition.PARTIAL


@pytest.mark.parametrize("zeros", ["0", "0000000000000000", 0])
def test_a_fingerprint_of_zeros_is_none_so_that_it_merges_nothing(zeros: Any) -> None:
    one, _ = read_one(fingerprint=zeros, labels={"alertname": "A"})
    other, _ = read_one(fingerprint=zeros, labels={"alertname": "B"})
    assert one.sender_key == alertmanager.fingerprint({"alertname": "A"}) != other.sender_key


def test_a_key_longer_than_a_key_may_be_is_hashed_and_stays_different() -> None:
    one, _ = read_one(fingerprint="x" * 201)
    two, _ = read_one(fingerprint="x" * 202)
    whole, _ = read_one(fingerprint="x" * 200)
    assert one.sender_key != two.sender_key
    assert len(one.sender_key) <= 200
    assert whole.sender_key == "x" * 200


@pytest.mark.parametrize(
    ("annotations", "labels", "title"),
    [
        ({"summary": "S"}, {"alertname": "A"}, "S"),
        ({"summary": " two\n lines "}, {"alertname": "A"}, "two lines"),
        ({"summary": "  "}, {"alertname": "A"}, "A"),
        ({"description": "D"}, {"x": "y"}, "D"),
        ({}, {"x": "y"}, "Of the group"),
        ({"summary": "\u200b\ufeff"}, {"alertname": "A"}, "A"),
    ],
)
def test_the_title_is_the_summary_else_the_name(annotations: Any, labels: Any, title: str) -> None:
    alert = {"status": "firing", "labels": labels, "annotations": annotations}
    reading = read({"alerts": [alert], "commonLabels": {"alertname": "Of the group"}})
    assert reading.signals[0].title == title


def test_an_alert_without_any_name_has_a_title_and_a_note() -> None:
    signal, reading = read_one(labels={"x": "y"})
    assert signal.title == "An alert without a name"
    assert reading.condition is Condition.PARTIAL


def test_over_long_fields_are_cut_with_a_mark() -> None:
    huge = "x" * 1_000_000
    signal, reading = read_one(
        labels={"alertname": huge, huge: "v"}, annotations={"summary": huge, "description": huge}
    )
    assert len(signal.title) == 300
    assert signal.title.endswith("… [cut]")
    assert all(len(name) <= 120 and len(value) <= 1_000 for name, value in signal.labels.items())
    assert all(len(value) <= 8_000 for value in signal.annotations.values())
    assert any("cut from 1000000" in note for note in reading.notes)


def test_nothing_is_cut_or_quoted_through_a_secret() -> None:
    secret = "gh" + "p_" + "a1B2" * 9
    said = {limit: "y " * (limit // 2 - 12) + secret for limit in (40, 300, 1_000, 8_000)}
    alert = {
        "status": "x" * 10 + " " + secret, "labels": {"alertname": "A", "l": said[1_000] + "z"},
        "annotations": {"summary": said[300], "description": said[8_000]}, "startsAt": "at " + secret,
    }  # fmt: skip
    reading = read({"alerts": [alert], "truncatedAlerts": said[40]})
    assert secret[4:12] not in redaction.text(repr(reading))


def test_thousands_of_labels_are_cut_to_a_hundred() -> None:
    signal, reading = read_one(labels={f"l{number}": "v" for number in range(5_000)})
    assert len(signal.labels) == 100
    assert reading.condition is Condition.PARTIAL


def test_of_too_many_labels_those_are_kept_that_say_what_it_is() -> None:
    naming = {"alertname": "Disk", "severity": "critical", "order_id": "ORD-1", "tenant": "T"}
    signal, _ = read_one(labels={f"a{number}": "v" for number in range(5_000)} | naming)
    assert len(signal.labels) == 100
    assert naming.items() <= signal.labels.items()
    assert (signal.title, signal.severity, signal.identifiers["order_id"]) == ("Disk", "critical", "ORD-1")


def test_only_short_fields_identify_a_thing() -> None:
    signal, _ = read_one(
        labels={"alertname": "A", "order_id": "ORD-1", "long": "x" * 201, "blank": " "},
        annotations={"job_id": " J-1 ", "summary": "S", "tenant": "T", "order_id": "ORD-2"},
    )
    assert signal.identifiers["order_id"] == "ORD-1"
    assert signal.identifiers["job_id"] == "J-1"
    assert signal.identifiers["tenant"] == "T"
    assert not {"long", "summary", "blank"} & set(signal.identifiers)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("order_id", "{{ $labels.order_id }}"), ("tenant", "<no value>"), ("host", "[no value]"),
        ("job_id", "$JOB_ID"), ("job_id", "undefined"), ("service", "web\u200b"), ("zone", "a\u202eb"),
        ("order_id", "ORD\x00-1"), ("zone", "\u200b"),
    ],
)  # fmt: skip
def test_a_label_that_nobody_can_have_meant_is_kept_and_names_nothing(name: str, value: str) -> None:
    signal, reading = read_one(labels={"alertname": "A", name: value})
    assert signal.labels[name] == value.replace("\x00", "\ufffd")
    assert name not in signal.identifiers
    assert reading.condition is Condition.PARTIAL


def test_a_word_for_nothing_is_a_value_where_the_label_names_no_thing() -> None:
    signal, reading = read_one(labels={"alertname": "A", "severity": "none", "order_id": " ORD-1 "})
    assert signal.identifiers == {"alertname": "A", "severity": "none", "order_id": "ORD-1"}
    assert reading.condition is Condition.WHOLE


@pytest.mark.parametrize(
    ("generator", "external", "link"),
    [
        ("https://p.example/graph", "", "https://p.example/graph"),
        ("/graph?x=1", "https://p.example/a", "https://p.example/graph?x=1"),
        ("/graph", "", ""),
        ("javascript:alert(1)", "https://p.example", ""),
        ("data:text/html,x", "", ""),
        ("http://[broken", "", ""),
        (7, "", ""),
        (None, "https://p.example", ""),
        ("/a\ud83d", "https://p.example\ud83d/", "https://p.example\ufffd/a\ufffd"),
    ],
)
def test_only_a_web_address_becomes_a_link(generator: Any, external: Any, link: str) -> None:
    alert = {"status": "firing", "labels": {"a": "b"}, "generatorURL": generator}
    assert read({"alerts": [alert], "externalURL": external}).signals[0].link == link


def test_no_text_that_comes_out_holds_nul_or_half_characters() -> None:
    odd = "a\x00\ud83d\udc00b"
    alert = {
        "status": odd, "fingerprint": odd, "labels": {odd: odd, "severity": odd, "n": {odd: odd}},
        "annotations": {odd: odd, "summary": odd}, "startsAt": odd, "generatorURL": "https://" + odd,
    }  # fmt: skip
    reading = read(
        {"alerts": [alert], "commonLabels": {odd: odd}, "externalURL": odd, "truncatedAlerts": odd}
    )
    signal = reading.signals[0]
    pairs = (signal.labels, signal.annotations, signal.identifiers)
    texts = [text for pair in pairs for item in pair.items() for text in item]
    for value in (*texts, signal.sender_key, signal.title, signal.severity, signal.link, *reading.notes):
        value.encode()
        assert "\x00" not in value
    assert "replaced" in repr(reading)


def test_notes_about_thousands_of_alerts_stay_few() -> None:
    many = 10_000 if os.environ.get("FULL") == "1" else 2_000
    reading = read({"alerts": [{"status": "firing", "labels": {"a": str(n)}} for n in range(many)]})
    assert len(reading.signals) == many
    assert len(reading.notes) == Notes.LIMIT + 1


def test_severity_is_one_short_lower_case_word() -> None:
    assert read_one(labels={"severity": " Critical "})[0].severity == "critical"
    assert read_one(labels={"severity": "x" * 99})[0].severity == "x" * 20
    assert read_one(labels={"a": "b"})[0].severity == "unknown"
    assert read_one(labels={"severity": "critical\u200b"})[0].severity == "critical"
    assert read_one(labels={"severity": "gh" + "p_" + "a1" * 18})[0].severity == "unknown"
    alert = {"status": "firing", "labels": {"a": "b"}}
    assert read({"alerts": [alert], "commonLabels": {"severity": "high"}}).signals[0].severity == "high"


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("P1", "critical"), ("Sev-1", "critical"), ("crit", "critical"), ("Fatal", "critical"),
        ("page", "critical"), ("EMERGENCY", "critical"), ("major", "high"), ("p2", "high"), ("err", "error"),
        ("warn", "warning"), ("P3", "medium"), ("average", "medium"), ("P4", "low"), ("P5", "info"),
        ("informational", "info"), ("minor", "minor"), ("none", "none"), ("ticket", "ticket"), ("2", "2"),
    ],
)  # fmt: skip
def test_a_severity_that_leaves_no_doubt_is_sorted_as_it_is_meant(said: str, word: str) -> None:
    signal, _ = read_one(labels={"alertname": "A", "severity": said})
    assert signal.severity == word
    assert signal.labels["severity"] == said


def test_a_start_far_in_the_future_is_kept_and_noted() -> None:
    signal, reading = read_one(startsAt=(NOW + timedelta(hours=2)).isoformat())
    assert signal.starts_at == NOW + timedelta(hours=2)
    assert "2 h 0 min after the receipt" in signal.clock_note
    assert reading.condition is Condition.WHOLE
    assert read_one(startsAt=(NOW + timedelta(minutes=59)).isoformat())[0].clock_note == ""


def test_an_end_before_the_start_is_noted() -> None:
    signal, _ = read_one(status="resolved", endsAt="2026-03-01T10:00:00Z")
    assert "end lies before the start" in signal.clock_note


def test_the_samples_from_the_field_are_read() -> None:
    envelope = {
        "version": "4", "groupKey": "foobar", "truncatedAlerts": 123, "status": "firing",
        "alerts": [{
            "status": "resolved", "labels": {"label1": "label1"}, "annotations": {"anno1": "anno1"},
            "startsAt": "0001-01-01T00:00:00Z", "endsAt": "2022-04-21T02:22:01.056032065Z",
            "generatorURL": "http://foo.example", "fingerprint": "d5fd0a851c27c0f3",
        }],
    }  # fmt: skip
    reading = read(envelope)
    signal = reading.signals[0]
    assert (reading.not_shown, signal.event, signal.starts_at) == (123, Event.RESOLVED, None)
    assert signal.ends_at == datetime(2022, 4, 21, 2, 22, 1, 56032, tzinfo=UTC)
