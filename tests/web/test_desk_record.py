"""What stands around an incident: a recorded question asked again, like ones, the record, the timeline."""

import csv
import io
import json
from typing import Any

import pytest
from django.test import Client

from accounts.models import Team
from assay_core.results import Status
from audit import reading
from incidents.models import Incident, Override, PersonCheck
from incidents.states import State
from investigations.models import Verdict
from tests.db.investigated import Scripted, job, world
from tests.db.sources import make_source
from tests.web.pages import HTMX, MakeUser, a_person, judged, text_of
from toolbox.connectors.base import Outcome
from toolbox.models import Call

pytestmark = pytest.mark.django_db


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


@pytest.fixture
def incident(connector: Scripted) -> Incident:
    return judged()


def place(incident: Incident, what: str = "") -> str:
    return f"/incidents/{incident.pk}/{what}"


def kinds(incident: Incident) -> list[str]:
    return [entry.kind for entry in reading.of_incident(incident.pk)]


def an_answer(incident: Incident) -> int:
    return next(entry.id for entry in reading.of_incident(incident.pk) if entry.kind == "tool.called")


def edit(client: Client, incident: Incident, text: str, base: int = 0, **more: Any) -> Any:
    return client.post(place(incident, "draft/"), {"answer": text, "base": base, **more})


# --- Asking a recorded question again --------------------------------------------------------------


def test_the_same_question_is_asked_again_and_what_differs_is_shown(
    incident: Incident, connector: Scripted, make_user: MakeUser
) -> None:
    client, entry = a_person(make_user), an_answer(incident)
    assert "Run it again" in text_of(client.get(f"/entries/{entry}/"))
    connector.asked.clear()
    connector.answers["find_job"] = job("failed")
    response = client.post(f"/entries/{entry}/again/", {"once": "a"}, follow=True)
    page = text_of(response)
    check = PersonCheck.objects.get()
    assert response.redirect_chain == [(f"/entries/{check.entry}/", 302)]
    assert "job.state" in page.partition('id="difference"')[2]
    assert "completed" in page.partition('id="difference"')[2]
    assert len(connector.asked) == 1
    made = reading.entry(check.entry or 0)
    assert made is not None
    assert (made.actor, made.investigation, made.incident) == ("person:ada", None, incident.pk)
    assert "answer.checked" in kinds(incident)
    assert "another answer" in text_of(client.get(f"/entries/{entry}/"))
    incident.refresh_from_db()
    assert incident.verdict_passed is True, "a person's check decides nothing"
    assert Verdict.objects.count() == 1


def test_one_form_asks_once_and_the_same_answer_says_so(
    incident: Incident, connector: Scripted, make_user: MakeUser
) -> None:
    client, entry = a_person(make_user), an_answer(incident)
    before = Call.objects.count()
    for _ in range(2):
        page = text_of(client.post(f"/entries/{entry}/again/", {"once": "same form"}, follow=True))
        assert "The same answer as the one of" in page
    assert Call.objects.count() == before + 1
    client.post(f"/entries/{entry}/again/", {"once": "another form"})
    assert Call.objects.count() == before + 2


def test_what_is_no_question_or_was_erased_cannot_be_asked_again(
    incident: Incident, make_user: MakeUser
) -> None:
    client = a_person(make_user)
    other = next(entry.id for entry in reading.of_incident(incident.pk) if entry.kind == "incident.opened")
    page = text_of(client.post(f"/entries/{other}/again/", {}, follow=True))
    assert "records no question to a tool" in page
    assert client.post("/entries/999999/again/").status_code == 404
    assert not PersonCheck.objects.exists()


def test_a_tool_that_is_away_now_is_shown_beside_what_it_said(
    incident: Incident, connector: Scripted, make_user: MakeUser
) -> None:
    connector.answers["find_job"] = Outcome(Status.UNAVAILABLE, None, reason="it is away")
    page = text_of(a_person(make_user).post(f"/entries/{an_answer(incident)}/again/", {}, follow=True))
    assert "The answer was <b>observed</b> and is <b>unavailable</b> now." in page


# --- What stands around it, and the record ---------------------------------------------------------


def test_like_ones_and_related_ones_and_discarded_hypotheses_stand_around_it(
    connector: Scripted, make_user: MakeUser
) -> None:
    source, client = make_source(), a_person(make_user)
    past = judged(source, "job-5")
    client.post(place(past, "close/"), {"version": past.version, "outcome": "harmless", "answer": ""})
    other = judged(make_source("second"), "job-7")
    incident = judged(source, "job-7")
    page = text_of(client.get(place(incident, "around/")))
    closed = page.partition("Closed ones like it")[2].partition("Open ones")[0]
    assert f"#{past.pk}</span>" in closed
    assert "closed as <b>harmless</b> by" in closed
    related = page.partition("Open ones about the same")[2].partition("Hypotheses")[0]
    assert f"#{other.pk}</span>" in related
    assert "job-7" in related
    discarded = page.partition("Hypotheses that were discarded")[2]
    assert "job was cancelled" in discarded
    assert "job cancelled" in discarded
    part = text_of(client.get(place(incident, "around/"), headers=HTMX))
    assert part.startswith("<section")


def test_another_teams_incidents_stand_around_nothing(connector: Scripted, make_user: MakeUser) -> None:
    bank, shop = (Team.objects.create(name=name, slug=name) for name in ("bank", "shop"))
    theirs = judged(make_source("theirs", team=bank), "job-7")
    ours = judged(make_source("ours", team=shop), "job-7")
    page = text_of(a_person(make_user, teams=[shop]).get(place(ours, "around/")))
    assert f"#{theirs.pk}<" not in page


def test_the_record_holds_everything_and_the_sheet_is_safe(incident: Incident, make_user: MakeUser) -> None:
    client = a_person(make_user)
    client.post(place(incident, "notes/"), {"note": "=HYPERLINK(1) | *x* ```"})
    edit(client, incident, "Edited # not a heading")
    incident.refresh_from_db()
    closing = {"version": incident.version, "outcome": "harmless", "answer": "Sent.", "reason": "", "base": 1}
    client.post(place(incident, "close/"), closing)
    plain = json.loads(client.get(place(incident, "record.json")).content)
    assert plain["incident"]["number"] == incident.pk
    assert plain["verdict"]["passed"] is True
    assert [each["outcome"] for each in plain["verdict"]["facts"]] == ["holds", "holds"]
    assert plain["edits"][0]["text"] == "Edited # not a heading"
    assert plain["closings"][0]["answer"] == "Sent."
    assert plain["notes"][0]["text"].startswith("=HYPERLINK")
    assert [line["entry"] for line in plain["timeline"]] == [e.id for e in reading.of_incident(incident.pk)]
    markdown = text_of(client.get(place(incident, "record.md")))
    assert "# Incident" in markdown
    assert "````" in markdown, "a fence in a note does not end the block"
    sheet = client.get(place(incident, "record.csv"), {"only": "person"})
    lines = list(csv.DictReader(io.StringIO(sheet.content.decode())))
    assert {line["by"] for line in lines} == {"person"}
    assert not [value for line in lines for value in line.values() if value.startswith(("=", "+", "-", "@"))]
    assert client.get(place(incident, "record.pdf")).status_code == 404


def test_a_closing_against_the_verdict_is_an_override_of_its_own(
    incident: Incident, make_user: MakeUser
) -> None:
    client = a_person(make_user)
    closing = {
        "version": incident.version,
        "outcome": "real and fixed",
        "answer": "",
        "reason": "It was real.",
    }
    for _ in range(2):
        client.post(place(incident, "close/"), closing)
    override = Override.objects.get()
    assert (override.verdict_passed, override.actual) == (True, "fail")
    assert override.hypothesis == "job_finished_on_retry"
    assert "It was real." in text_of(client.get("/overrides/"))
    assert "It was real." not in text_of(client.get("/overrides/?rule=another"))
    incident.refresh_from_db()
    assert incident.state == State.CLOSED


def test_the_timeline_tells_signals_and_begins_where_the_address_says(
    incident: Incident, make_user: MakeUser
) -> None:
    page = text_of(a_person(make_user).get(place(incident), {"only": "person"}))
    assert 'value="person" checked' in page
    assert 'value="all" checked' not in page
