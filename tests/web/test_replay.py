"""Downloading a closed incident as a replay: who may, what is refused, what comes."""

import pytest

from accounts.models import Team
from accounts.roles import Role
from audit import reading
from incidents.models import Incident
from investigations.models import Case
from tests.db.exported import closed
from tests.db.investigated import Scripted, world
from tests.db.sources import make_source
from tests.web.pages import MakeUser, a_person, judged, text_of
from verdicts.replay.file import Replay

pytestmark = pytest.mark.django_db


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def address(incident: Incident) -> str:
    return f"/incidents/{incident.pk}/replay/"


def test_who_only_reads_and_who_is_a_stranger_get_none(connector: Scripted, make_user: MakeUser) -> None:
    bank = make_source(team=Team.objects.create(name="Bank", slug="bank"))
    incident = closed(make_user, "harmless", source=bank)
    assert a_person(make_user, "ines", Role.AUDITOR).get(address(incident)).status_code == 403
    assert a_person(make_user).get(address(incident)).status_code == 404
    assert a_person(make_user, "max", Role.MANAGER).post(address(incident)).status_code == 405
    assert a_person(make_user, "mia", Role.MANAGER).get("/incidents/999999/replay/").status_code == 404


def test_an_open_incident_is_refused_in_words(connector: Scripted, make_user: MakeUser) -> None:
    incident = judged()
    answer = a_person(make_user).get(address(incident))
    assert answer.status_code == 409
    assert "how it really ended is not known yet" in text_of(answer)
    assert f'href="{address(incident)}"' not in text_of(answer)


def test_a_case_that_was_changed_is_refused_in_words(connector: Scripted, make_user: MakeUser) -> None:
    incident = closed(make_user, "harmless")
    Case.objects.update(body="{}")
    answer = a_person(make_user).get(address(incident))
    assert answer.status_code == 409
    assert "does not have its digest" in text_of(answer)


def test_the_page_of_a_closed_one_links_to_its_file(connector: Scripted, make_user: MakeUser) -> None:
    incident = closed(make_user, "harmless")
    client = a_person(make_user)
    assert f'href="{address(incident)}"' in text_of(client.get(f"/incidents/{incident.pk}/"))
    answer = client.get(address(incident))
    assert answer["Content-Disposition"] == f'attachment; filename="incident-{incident.pk}.json"'
    replay = Replay.from_text(text_of(answer))
    assert replay.accepted is not None
    assert replay.accepted.by == "ada"
    entry = reading.of_incident(incident.pk)[-1]
    assert (entry.kind, entry.actor) == ("incident.exported", "person:ada")
