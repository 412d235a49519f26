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


@pytest.mark.parametrize("order", [{"id": 1042}, ["ORD-1042"], True])
def test_an_order_that_is_no_text_and_no_number_names_nothing(order: Any) -> None:
    reading = read({**WHOLE, "order": order})
    assert "order_id" not in reading.signals[0].identifiers
    assert reading.signals[0].annotations["order"] == json.dumps(order)
    assert reading.condition is Condition.PARTIAL


def test_a_time_that_cannot_be_read_is_noted_on_the_incident_too() -> None:
    signal = read({**WHOLE, "occurred_at": "last Tuesday"}).signals[0]
    assert signal.starts_at is None
    assert "time of receipt" in signal.clock_note


def test_a_claim_without_a_time_has_no_note_about_clocks() -> None:
    bare = {name: value for name, value in WHOLE.items() if name != "occurred_at"}
    assert read(bare).signals[0].clock_note == ""


def test_nul_and_half_characters_are_replaced() -> None:
    signal = read({**WHOLE, "title": "a\x00", "text": "t\ud83d", "reference": "r\x00"}).signals[0]
    assert (signal.title, signal.text, signal.sender_key) == ("a\ufffd", "t\ufffd", "r\ufffd")


@pytest.mark.parametrize(
    "order",
    [
        "O\ud83d", "ORD\x001", "ORD-1042\u200b", "\u202eORD-1042", "ORD\n1042", "{{ticket.order}}",
        "${order}", "$ORDER", "<no value>", "undefined", "null", "N/A", "None",
    ],
)  # fmt: skip
def test_what_nobody_can_have_meant_names_nothing(order: str) -> None:
    reading = read({**WHOLE, "order": order})
    assert "order_id" not in reading.signals[0].identifiers
    assert reading.condition is Condition.PARTIAL
    assert any("names nothing" in note for note in reading.notes)
    shown = order.replace("\x00", "\ufffd").replace("\ud83d", "\ufffd")
    assert reading.signals[0].annotations["order"] == shown  # for who answers


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_json_is_read_in_each_of_its_encodings_whatever_stands_in_it(encoding: str) -> None:
    whole = {**WHOLE, "text": "a=b&c"}
    assert read(json.dumps(whole).encode(encoding)) == read(whole)


def in_parts(whole: dict[str, str], *, file: bytes = b"", end: bytes = b"--\r\n") -> Reading:
    parts = [
        b'Content-Disposition: form-data; name="%s"\r\n\r\n%s' % (name.encode(), value.encode())
        for name, value in whole.items()
    ]
    if file:
        about = b'content-disposition: form-data; name="photo"; filename="a.png"\r\nContent-Type: image/png'
        parts.append(about + b"\r\n\r\n" + file)
    body = b"".join(b"--mark\r\n%s\r\n" % part for part in parts) + b"--mark" + end
    return claim.read(body, NOW, {"content-type": "multipart/form-data; boundary=mark"})


def test_a_form_in_parts_says_the_same_and_its_files_stay_in_the_raw_delivery() -> None:
    assert in_parts(WHOLE).signals == read(WHOLE).signals
    reading = in_parts(WHOLE, file=b"\x89PNG\r\n\x00")
    assert reading.signals == read(WHOLE).signals
    assert "'photo' is a file" in reading.notes[0]
    assert in_parts(WHOLE, end=b"").condition is Condition.UNREADABLE
    assert in_parts({f"f{number}": "x" for number in range(200)}).condition is Condition.UNREADABLE
    broken = claim.read(b"title=x", NOW, {"content-type": "multipart/form-data"})
    assert broken.condition is Condition.UNREADABLE


@pytest.mark.parametrize(
    "body", [b"My order = late", b'<?xml version="1.0"?><claim id="1"/>', b"\x1f\x8b\x08=\x00", b"a b=c"]
)
def test_what_only_holds_the_sign_of_a_form_is_no_form(body: bytes) -> None:
    assert read(body).condition is Condition.UNREADABLE


def test_a_form_that_is_not_in_utf_8_is_read_as_most_such_forms_are_meant() -> None:
    reading = read(b"title=Gr%F6%DFe&text=x&about=other")
    assert reading.signals[0].title == "Größe"
    assert "Windows-1252" in reading.notes[0]
    kept = read("title=Größe%FF&text=x&about=other".encode()).signals[0]
    assert kept.title == "Größe\ufffd"


def test_fields_that_nothing_reads_are_kept_for_who_answers() -> None:
    further = {"phone": "+44 20 7946 0958", "ticket": {"subject": "Help"}, "blank": "", "tags": ["vip"]}
    reading = read({**WHOLE, **further})
    assert reading.signals[0].annotations == {
        "phone": "+44 20 7946 0958", "ticket": '{"subject": "Help"}', "tags": '["vip"]',
        "message": "My card was charged twice.",
    }  # fmt: skip
    assert reading.condition is Condition.WHOLE


@pytest.mark.parametrize(
    ("said", "word", "kept"),
    [("Urgent", "critical", "Urgent"), ("high", "high", None), ("Normal", "normal", None), (3, "3", None)],
)
def test_a_claim_is_as_grave_as_its_word_means(said: Any, word: str, kept: str | None) -> None:
    signal = read({**WHOLE, "priority": said}).signals[0]
    assert (signal.severity, signal.annotations.get("severity")) == (word, kept)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"title": "Where is it?", "name": "Ann"}, {"title": "Where is it?", "name": "Bob"}),
        ({"ticket": {"id": 1}}, {"ticket": {"id": 2}}),
        ({"title": "T", "occurred_at": "2026-03-01T09:00:00Z"}, {"title": "T"}),
        ({"title": "T", "severity": "high"}, {"title": "T", "severity": "low"}),
    ],
)
def test_claims_that_differ_in_any_field_are_two(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert read(one).signals[0].sender_key != read(other).signals[0].sender_key
