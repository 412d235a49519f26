"""Claims, read."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from incidents.adapters import claim
from incidents.adapters.reading import Reading
from incidents.states import Condition, Event

NOW = datetime(2026, 3, 1, 12, 0, 30, tzinfo=UTC)
WHOLE = {
    "title": "Charged twice", "text": "My card was charged twice.", "about": "charge",
    "order": "ORD-1042", "customer": "C-17", "email": "a@example.com", "reference": "T-1",
    "occurred_at": "2026-03-01T09:00:00Z",
}  # fmt: skip


def read(value: Any, at: datetime = NOW) -> Reading:
    return claim.read(value if isinstance(value, bytes) else json.dumps(value).encode(), at)


@pytest.mark.parametrize(
    "body",
    [b"[]", b'"a"', b"null", b"{", b'{"title": NaN}', b'{"a":1,"a":2}', b"just words", b"\xff=\xff", b"1"],
)
def test_what_is_neither_an_object_nor_a_form_is_unreadable(body: bytes) -> None:
    assert read(body).condition is Condition.UNREADABLE


def test_a_form_of_endless_fields_is_unreadable() -> None:
    assert read(b"&".join(b"a%d=1" % number for number in range(500))).condition is Condition.UNREADABLE


@pytest.mark.parametrize("body", [b"", b"  ", b"{}", b'{"title": "", "text": null}', b"title=&text="])
def test_a_claim_that_says_nothing_is_empty(body: bytes) -> None:
    reading = read(body)
    assert (reading.condition, reading.signals) == (Condition.EMPTY, ())


@pytest.mark.parametrize("missing", ["title", "text", "about"])
def test_a_claim_without_a_part_is_partial_and_kept(missing: str) -> None:
    reading = read({name: value for name, value in WHOLE.items() if name != missing})
    assert reading.condition is Condition.PARTIAL
    assert len(reading.signals) == 1


def test_a_topic_that_nobody_knows_is_taken_as_other() -> None:
    reading = read({**WHOLE, "about": "refunds!"})
    assert reading.condition is Condition.PARTIAL
    assert reading.signals[0].labels == {"about": "other"}


def test_a_claim_is_read_whole() -> None:
    reading = read(WHOLE)
    signal = reading.signals[0]
    assert (reading.condition, reading.notes) == (Condition.WHOLE, ())
    assert (signal.kind, signal.event, signal.sender_key) == ("claim", Event.FIRING, "T-1")
    assert signal.starts_at == datetime(2026, 3, 1, 9, tzinfo=UTC)
    assert signal.identifiers == {
        "order_id": "ORD-1042", "customer_id": "C-17", "email": "a@example.com", "reference": "T-1",
    }  # fmt: skip
    assert signal.annotations == {"message": "My card was charged twice."}


def test_a_form_says_the_same_as_json() -> None:
    form = urlencode({**WHOLE, "csrfmiddlewaretoken": "t"}).encode()
    assert read(form).signals == read(WHOLE).signals


def test_other_names_of_the_same_fields_are_read() -> None:
    signal = read({"subject": "S", "message": "M", "about": "email"}).signals[0]
    assert (signal.title, signal.text) == ("S", "M")


def test_a_field_given_twice_in_a_form_is_partial_and_the_first_counts() -> None:
    reading = read(b"title=T&text=x&about=other&order=ORD-1&order=ORD-2")
    assert reading.condition is Condition.PARTIAL
    assert reading.signals[0].identifiers == {"order_id": "ORD-1"}


def test_two_fields_that_name_two_orders_name_none() -> None:
    reading = read({**WHOLE, "order_id": "ORD-2"})
    assert reading.condition is Condition.PARTIAL
    assert "order_id" not in reading.signals[0].identifiers
    assert any("order_id is given twice" in note for note in reading.notes)
    assert read({**WHOLE, "order_id": WHOLE["order"]}).condition is Condition.WHOLE


def test_without_a_reference_the_same_claim_within_a_minute_is_one_and_another_is_not() -> None:
    bare = {name: value for name, value in WHOLE.items() if name != "reference"}
    key = read(bare).signals[0].sender_key
    assert read(bare, NOW + timedelta(seconds=10)).signals[0].sender_key == key
    assert read(bare, NOW + timedelta(minutes=1)).signals[0].sender_key != key
    assert read({**bare, "order": "ORD-2"}).signals[0].sender_key != key
    assert read({**bare, "text": "Something else."}).signals[0].sender_key != key


def test_a_field_that_is_too_long_names_nothing() -> None:
    reading = read({**WHOLE, "order": "x" * 201})
    assert "order_id" not in reading.signals[0].identifiers
    assert reading.condition is Condition.PARTIAL


def test_the_text_of_a_claim_is_cut_with_a_mark() -> None:
    signal = read({**WHOLE, "text": "x" * 100_000, "title": "y" * 1_000}).signals[0]
    assert (len(signal.text), len(signal.title)) == (50_000, 300)
    assert signal.text.endswith("[cut]")


def test_an_order_that_is_a_number_is_its_text_and_noted() -> None:
    reading = read({**WHOLE, "order": 1042})
    assert reading.signals[0].identifiers["order_id"] == "1042"
    assert reading.condition is Condition.PARTIAL


def test_a_time_that_cannot_be_read_is_noted_on_the_incident_too() -> None:
    signal = read({**WHOLE, "occurred_at": "last Tuesday"}).signals[0]
    assert signal.starts_at is None
    assert "time of receipt" in signal.clock_note


def test_a_claim_without_a_time_has_no_note_about_clocks() -> None:
    bare = {name: value for name, value in WHOLE.items() if name != "occurred_at"}
    assert read(bare).signals[0].clock_note == ""


def test_nul_and_half_characters_are_replaced() -> None:
    signal = read({**WHOLE, "title": "a\x00", "order": "O\ud83d", "reference": "r\x00"}).signals[0]
    assert (signal.title, signal.identifiers["order_id"], signal.sender_key) == (
        "a\ufffd",
        "O\ufffd",
        "r\ufffd",
    )
