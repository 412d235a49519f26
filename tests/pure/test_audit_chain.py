"""Hashes as anybody can compute them, and what the examination of one row finds."""

import dataclasses
import hashlib
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from assay_core.envelope import Envelope, commitment, leaf
from assay_core.instants import NotAnInstant
from audit.examination import Span, StoredRow, faults
from audit.report import Tally

WHEN = datetime(2026, 11, 30, 23, 59, 59, 123456, tzinfo=UTC)
NOVEMBER = Span("audit_entry_2026_11", datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC))
ENVELOPE = Envelope(7, WHEN, "thing.done", "person:Ådå", None, 3, commitment(b"s" * 32, "{}"))


def row(**changed: Any) -> StoredRow:
    text = ENVELOPE.canonical()
    whole = StoredRow(
        7, WHEN, "thing.done", "person:Ådå", None, 3, text, leaf(text), b"s" * 32, "{}", NOVEMBER
    )
    return dataclasses.replace(whole, **changed)


def test_the_envelope_has_one_text() -> None:
    assert ENVELOPE.canonical() == (
        '{"actor":"person:\\u00c5d\\u00e5","id":7,"incident":null,"investigation":3,"kind":"thing.done",'
        '"payload":"' + hashlib.sha256(b"s" * 32 + b"{}").hexdigest() + '",'
        '"recorded_at":"2026-11-30T23:59:59.123456Z","v":1}'
    )


def test_the_leaf_is_the_one_of_rfc_6962() -> None:
    assert leaf("").hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"


def test_the_same_moment_in_another_zone_gives_the_same_text() -> None:
    there = WHEN.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert dataclasses.replace(ENVELOPE, recorded_at=there).canonical() == ENVELOPE.canonical()


def test_a_time_without_a_zone_has_no_envelope() -> None:
    with pytest.raises(NotAnInstant):
        dataclasses.replace(ENVELOPE, recorded_at=datetime(2026, 11, 30)).canonical()


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"leaf": b"\x00" * 32}, "leaf"),
        ({"leaf": b""}, "leaf"),
        ({"canonical": "[]"}, "not a JSON object"),
        ({"canonical": "{"}, "not a JSON object"),
        ({"canonical": "[" * 100_000}, "not a JSON object"),
        ({"canonical": '{"id":' + "9" * 5000 + "}"}, "not a JSON object"),
        ({"canonical": ENVELOPE.canonical().replace('"v":1', '"v":2')}, "one form"),
        ({"canonical": ENVELOPE.canonical().replace('"id":7', '"id":7,"id":7')}, "one form"),
        ({"canonical": "{}"}, "column id"),
        ({"id": 8}, "column id"),
        ({"kind": "thing.undone"}, "column kind"),
        ({"actor": "somebody"}, "column actor"),
        ({"incident": 0}, "column incident"),
        ({"investigation": None}, "column investigation"),
        ({"recorded_at": WHEN + timedelta(microseconds=1)}, "column recorded_at"),
        ({"recorded_at": WHEN + timedelta(seconds=1)}, "not the partition"),
        ({"recorded_at": WHEN - timedelta(days=31)}, "not the partition"),
        ({"body": "{ }"}, "not the one"),
        ({"salt": b"t" * 32}, "not the one"),
        ({"body": None}, "no entry records"),
        ({"salt": None}, "no entry records"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_changed_row_is_found(changed: dict[str, object], reason: str) -> None:
    assert any(reason in sentence for sentence in faults(row(**changed)))


def test_a_whole_row_has_no_fault() -> None:
    assert faults(row()) == []
    assert faults(row(span=Span("audit_entry_default", None, None, is_default=True))) == []


def test_only_the_named_payload_may_be_gone() -> None:
    assert faults(row(body=None, salt=None), erased={7}) == []
    assert faults(row(body=None, salt=None), erased={8}) != []


def test_the_report_names_the_lowest_id_whatever_the_order_of_finding() -> None:
    tally = Tally(first=1, last=None)
    for number in range(100, 40, -1):
        tally.fault(number, ["changed"])
    tally.citation(3, "the entry is gone", "case 1")
    report = tally.report()
    assert report.exit_code == 1
    assert report.sentences()[0].startswith("TAMPERED at entry 3: ")
    assert report.sentences()[-1] == "  and 41 more"
    assert (report.tampered, report.broken_citations, len(report.faults)) == (60, 1, 20)
