"""Many people write on one incident at the same moment: each text is kept, or handed back to who wrote it."""

from collections.abc import Callable
from functools import partial

import pytest

from accounts.models import User
from accounts.roles import Role
from audit import reading
from incidents import editing, notes
from incidents.editing import EditOverlaps
from incidents.models import DraftEdit, Incident, Note
from tests.db.sources import NOW, an_alert, body_of, deliver, make_source
from tests.db.test_incidents_parallel import at_once

pytestmark = pytest.mark.usefixtures("committed_db")


def test_of_ten_who_edit_at_once_one_is_kept_and_nine_are_told_whose(make_user: Callable[..., User]) -> None:
    deliver(make_source(), body_of(an_alert()))
    incident = Incident.objects.get()
    people = [make_user(f"person{number}", role=Role.SUPPORT) for number in range(10)]

    def keep(by: User) -> str:
        try:
            return editing.keep(incident.pk, f"Of {by}.", base=0, by=by, now=NOW).text
        except EditOverlaps as overlap:
            return f"told: {overlap.now.text}"

    said = at_once(keep, people)
    kept = DraftEdit.objects.get()
    assert sorted(said) == sorted([kept.text, *[f"told: {kept.text}"] * 9])
    refused = [entry for entry in reading.of_incident(incident.pk) if entry.kind == "move.refused"]
    assert len(refused) == 9


def test_one_note_sent_ten_times_at_once_is_kept_once(make_user: Callable[..., User]) -> None:
    deliver(make_source(), body_of(an_alert()))
    incident, by = Incident.objects.get(), make_user(role=Role.SUPPORT)
    write = partial(notes.write, incident, "Once.", by=by, now=NOW)
    assert len({kept.note.pk for kept in at_once(lambda _: write(once="form"), range(10))}) == 1
    assert Note.objects.count() == 1
    written = [entry for entry in reading.of_incident(incident.pk) if entry.kind == "note.written"]
    assert len(written) == 1
