"""Entries that are written together are what they would be one by one, in their order."""

import pytest
from django.db import DatabaseError, transaction

from assay_core.canonical import NotCanonical
from audit import reading
from audit.report import TAMPERED
from audit.verification import verify
from audit.writing import Draft, EntryRefused, write, write_many

pytestmark = pytest.mark.django_db


def test_they_stand_in_their_order_and_verify() -> None:
    before = write("thing.done", {"number": -1}, actor="somebody")
    write_many([Draft("thing.done", {"number": number}, 7, 8) for number in range(30)], actor="Zoë")
    stored = [entry for entry in reading.of_incident(7) if entry.id > before.id]
    assert [entry.payload for entry in stored] == [{"number": number} for number in range(30)]
    assert {(entry.actor, entry.investigation) for entry in stored} == {("Zoë", 8)}
    report = verify()
    assert (report.tampered, report.faults, report.exit_code != TAMPERED) == (0, (), True)


def test_nothing_is_written_for_nothing() -> None:
    write_many([], actor="somebody")
    assert reading.of_incident(7) == ()


@pytest.mark.parametrize(
    ("draft", "error"),
    [
        (Draft("no kind", {}, 7), EntryRefused),
        (Draft("thing.done", {"x": float("nan")}, 7), NotCanonical),
        (Draft("thing.done", {}, 2**70), DatabaseError),
    ],
)
def test_one_that_is_refused_takes_all_of_them_along(draft: Draft, error: type[Exception]) -> None:
    with pytest.raises(error), transaction.atomic():
        write_many([Draft("thing.done", {}, 7), draft], actor="somebody")
    assert reading.of_incident(7) == ()
