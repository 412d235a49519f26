"""The page of one entry: the question, the answer, and the record of both."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Team
from accounts.roles import Role
from assay_core.results import Status
from audit import reading, writing
from audit.reading import StoredEntry
from incidents.models import Incident
from tests.db.investigated import Scripted, world
from tests.db.sources import make_source
from tests.web.pages import HTMX, MakeUser, a_person, judged, text_of
from toolbox.connectors.base import Outcome

pytestmark = pytest.mark.django_db


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def calls(incident: Incident) -> list[StoredEntry]:
    return [entry for entry in reading.of_incident(incident.pk) if entry.kind == "tool.called"]


def answered(connector: Scripted, result: Any) -> StoredEntry:
    connector.answers["find_job"] = Outcome(Status.OBSERVED, result)
    return next(entry for entry in calls(judged()) if (entry.payload or {})["tool"] == "find_job")


@pytest.mark.parametrize("number", [0, 999_999, 2**63 - 1, 2**63, 10**30])
def test_a_number_without_an_entry_is_404(make_user: MakeUser, number: int) -> None:
    assert a_person(make_user).get(f"/entries/{number}/").status_code == 404


def test_an_entry_of_another_teams_incident_is_404(connector: Scripted, make_user: MakeUser) -> None:
    entry = calls(judged(make_source(team=Team.objects.create(name="Bank", slug="bank"))))[0]
    assert a_person(make_user).get(f"/entries/{entry.id}/").status_code == 404
    assert a_person(make_user, "ines", Role.AUDITOR).get(f"/entries/{entry.id}/").status_code == 200


def test_an_entry_of_no_incident_is_for_who_sees_every_team(make_user: MakeUser) -> None:
    entry = writing.write("session.opened", {"username": "eve", "address": "192.0.2.9"}, actor="person:eve")
    assert a_person(make_user).get(f"/entries/{entry.id}/").status_code == 404
    page = text_of(a_person(make_user, "ines", Role.AUDITOR).get(f"/entries/{entry.id}/"))
    assert "192.0.2.9" in page
    assert entry.leaf in page


def test_it_shows_the_question_the_answer_and_the_leaf(connector: Scripted, make_user: MakeUser) -> None:
    entry = answered(connector, {"job": {"state": "completed", "note": None}})
    page = text_of(a_person(make_user).get(f"/entries/{entry.id}/"))
    for words in ("find_job", "job-7", "completed", "null", "observed", entry.leaf, "playbook"):
        assert words in page
    assert f'href="/incidents/{entry.incident}/#entry-{entry.id}"' in page


@pytest.mark.parametrize("view", ["table", "tree", "raw", "", "x"])
def test_each_view_shows_the_answer(connector: Scripted, make_user: MakeUser, view: str) -> None:
    entry = answered(
        connector, {"job": {"state": "completed"}, "rows": [{"a": 1}, {"b": [1, 2, {"c": "deep"}]}]}
    )
    client = a_person(make_user)
    page = text_of(client.get(f"/entries/{entry.id}/?as={view}"))
    assert "completed" in page
    assert "deep" in page
    part = text_of(client.get(f"/entries/{entry.id}/?as={view}", headers=HTMX))
    assert part.startswith('<article id="entry"')


@pytest.mark.parametrize("view", ["table", "tree", "raw"])
def test_a_deep_nest_still_has_a_page(connector: Scripted, make_user: MakeUser, view: str) -> None:
    nest: Any = "bottom"
    for _ in range(60):
        nest = {"in": [nest]}
    entry = answered(connector, {"job": {"state": "completed"}, "nest": nest})
    assert a_person(make_user).get(f"/entries/{entry.id}/?as={view}").status_code == 200


def test_a_huge_answer_is_cut_and_says_so(connector: Scripted, make_user: MakeUser) -> None:
    entry = answered(connector, {"job": {"state": "completed"}, "text": "W" * 200_000})
    client = a_person(make_user)
    for view in ("table", "tree", "raw"):
        response = client.get(f"/entries/{entry.id}/?as={view}")
        assert "characters)" in text_of(response)
        assert len(response.content) < 120_000


def test_a_call_that_failed_says_why(connector: Scripted, make_user: MakeUser) -> None:
    connector.answers["find_job"] = Outcome(Status.UNAVAILABLE, None, reason="the shop's database is away")
    incident = judged()
    entry = next(entry for entry in calls(incident) if (entry.payload or {})["status"] == "unavailable")
    page = text_of(a_person(make_user).get(f"/entries/{entry.id}/"))
    assert "the shop&#x27;s database is away" in page
    assert "No answer was recorded." in page


def test_the_entry_of_a_move_shows_what_was_recorded(connector: Scripted, make_user: MakeUser) -> None:
    entry = reading.of_incident(judged().pk)[0]
    assert "What was recorded" in text_of(a_person(make_user).get(f"/entries/{entry.id}/"))


def test_entries_are_only_read(make_user: MakeUser) -> None:
    client = a_person(make_user)
    for method in ("post", "put", "delete", "patch"):
        assert getattr(client, method)("/entries/1/").status_code == 405


def test_without_a_session_an_entry_asks_for_one() -> None:
    assert Client().get("/entries/1/").status_code == 302
