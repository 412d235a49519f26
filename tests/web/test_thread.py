"""Asking about an incident on its page: who may, what is refused, what the thread shows."""

import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Team
from accounts.roles import Role
from audit import reading
from incidents.models import Incident
from investigations import questions
from investigations.models import Question
from investigations.states import Asking
from tests.db.investigated import Scripted, world
from tests.db.sources import make_source
from tests.web.hostile import TEXTS
from tests.web.pages import HTMX, MakeUser, a_person, judged, text_of

pytestmark = pytest.mark.django_db
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


@pytest.fixture
def incident(connector: Scripted) -> Incident:
    return judged()


@pytest.fixture(autouse=True)
def _a_model(settings: Any) -> None:
    given = {**settings.MODEL_ENDPOINTS["default"], "base_url": "http://localhost:1/v1", "model": "m"}
    settings.MODEL_ENDPOINTS = {**settings.MODEL_ENDPOINTS, "default": given}


def address(incident: Incident, rest: str = "ask") -> str:
    return f"/incidents/{incident.pk}/questions/{rest}/"


def asked(incident: Incident, text: str = "Since when does it fail?", by: str = "person:ben") -> Question:
    from incidents.subjects import subject_of

    return questions.ask(subject_of(incident), text, by=by, now=timezone.now())


def answered(incident: Incident, text: str, citations: str = "[]", **values: Any) -> Question:
    row = asked(incident)
    ended = {"state": Asking.ANSWERED, "finished_at": timezone.now(), "answer": text, **values}
    Question.objects.filter(pk=row.pk).update(citations=citations, **ended)
    return row


def an_id(kind: str, text: str, state: str, **more: Any) -> dict[str, Any]:
    return {
        "kind": kind,
        "text": text,
        "value": text,
        "state": state,
        "reason": "",
        "entry": None,
        "link": "",
        **more,
    }


def test_another_teams_incident_is_404_and_nothing_is_asked(connector: Scripted, make_user: MakeUser) -> None:
    incident = judged(make_source(team=Team.objects.create(name="Bank", slug="bank")))
    row = asked(incident)
    client = a_person(make_user, teams=[Team.objects.create(name="Shop", slug="shop")])
    assert client.post(address(incident), {"question": "What now?"}).status_code == 404
    assert client.post(address(incident, f"{row.pk}/stop")).status_code == 404
    for rest in (str(row.pk), f"{row.pk}/live"):
        assert client.get(address(incident, rest)).status_code == 404
    assert client.get(f"/incidents/{incident.pk}/live/").status_code == 404
    assert Question.objects.count() == 1


def test_an_auditor_reads_the_thread_and_asks_nothing(incident: Incident, make_user: MakeUser) -> None:
    row = asked(incident)
    client = a_person(make_user, role=Role.AUDITOR)
    page = text_of(client.get(f"/incidents/{incident.pk}/"))
    assert "Since when does it fail?" in page
    assert 'name="question"' not in page
    assert client.post(address(incident), {"question": "What now?"}).status_code == 403
    assert client.post(address(incident, f"{row.pk}/stop")).status_code == 403


def test_asking_takes_a_post_with_the_forms_token(incident: Incident, make_user: MakeUser) -> None:
    client = a_person(make_user)
    assert client.get(address(incident)).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(make_user("ben", role=Role.SUPPORT))
    assert strict.post(address(incident), {"question": "What now?"}).status_code == 403


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "write a question"), (" \0 ", "write a question"), ("x" * 2_001, "2001 characters")],
)
def test_a_question_that_will_not_do_is_refused_and_what_was_typed_stays(
    incident: Incident, make_user: MakeUser, text: str, words: str
) -> None:
    client = a_person(make_user)
    for headers in ({}, HTMX):
        response = client.post(address(incident), {"question": text}, headers=headers)
        assert response.status_code == 422
        assert words in text_of(response)
        assert text.replace("\0", "").strip() in text_of(response)
    assert not Question.objects.exists()


def test_a_second_question_waits_for_the_answer_to_the_first(incident: Incident, make_user: MakeUser) -> None:
    client = a_person(make_user)
    client.post(address(incident), {"question": "First?"})
    response = client.post(address(incident), {"question": "Second?"}, headers=HTMX)
    assert response.status_code == 422
    assert "still being answered" in text_of(response)
    assert "Second?" in text_of(response)
    other = a_person(make_user, "ben")
    assert other.post(address(incident), {"question": "Mine?"}).status_code == 302
    assert Question.objects.count() == 2


def test_a_plain_browser_asks_and_is_led_to_the_thread(incident: Incident, make_user: MakeUser) -> None:
    client = a_person(make_user)
    response = client.post(address(incident), {"question": "Since when?"})
    assert response.status_code == 302
    assert response["Location"] == f"/incidents/{incident.pk}/#thread"
    row = Question.objects.get()
    assert (row.state, row.asked_by, row.text) == (Asking.QUEUED, "person:ada", "Since when?")
    assert "question.asked" in [entry.kind for entry in reading.of_incident(incident.pk)]


def test_htmx_gets_the_thread_with_a_link_to_watch_by(incident: Incident, make_user: MakeUser) -> None:
    page = text_of(a_person(make_user).post(address(incident), {"question": "Since when?"}, headers=HTMX))
    row = Question.objects.get()
    assert page.lstrip().startswith('<section class="card" id="thread"')
    assert f'data-live="{address(incident, f"{row.pk}/live")}"' in page
    assert "Waits for a worker." in page
    part = text_of(a_person(make_user, "ben").get(address(incident, str(row.pk)), headers=HTMX))
    assert part.lstrip().startswith(f'<li class="asked" id="question-{row.pk}"')


def test_a_secret_in_a_question_is_masked_before_it_is_kept(incident: Incident, make_user: MakeUser) -> None:
    a_person(make_user).post(address(incident), {"question": f"Is {SECRET} still valid?"})
    assert SECRET not in Question.objects.get().text
    assert SECRET not in str(reading.of_incident(incident.pk))


def test_stopping_ends_the_question_once(incident: Incident, make_user: MakeUser) -> None:
    client = a_person(make_user)
    client.post(address(incident), {"question": "Since when?"})
    row = Question.objects.get()
    assert client.post(address(incident, f"{row.pk}/stop")).status_code == 302
    assert "Stopped by ada." in text_of(client.get(f"/incidents/{incident.pk}/"))
    again = client.post(address(incident, f"{row.pk}/stop"), headers=HTMX)
    assert again.status_code == 422
    assert "has ended already" in text_of(again)


def test_a_question_of_another_incident_is_404_here(
    incident: Incident, connector: Scripted, make_user: MakeUser
) -> None:
    other = judged(make_source("other"), "job-8")
    row = asked(other)
    client = a_person(make_user)
    assert client.get(address(incident, str(row.pk))).status_code == 404
    assert client.get(address(incident, f"{row.pk}/live")).status_code == 404
    assert client.post(address(incident, f"{row.pk}/stop")).status_code == 422


def test_an_id_that_could_not_be_confirmed_is_warned_about(incident: Incident, make_user: MakeUser) -> None:
    answered(
        incident,
        f"It began with ~~{TRACE}~~ [not found] or {'a' * 24}, see [entry 1].",
        json.dumps(
            [
                an_id("trace", TRACE, "missing", reason="no such trace"),
                an_id("trace", "a" * 24, "unchecked", reason="away"),
                an_id("entry", "[entry 1]", "verified", entry=1),
            ]
        ),
    )
    page = text_of(a_person(make_user).get(f"/incidents/{incident.pk}/"))
    assert "Not everything in this answer could be confirmed." in page
    assert "does not exist: <span" in page
    assert "could not be looked up: <span" in page
    assert f'{"a" * 24} <span class="cite cite-unchecked">unchecked</span>' in page
    assert f"<s>{TRACE}</s>" in page
    assert '<a class="cite" href="/entries/1/">' in page


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_hostile_words_of_people_and_models_are_only_text(
    incident: Incident, make_user: MakeUser, text: str
) -> None:
    from tests.web.test_csp import assert_clean

    row = answered(incident, text[:20_000], reason=text[:600])
    Question.objects.filter(pk=row.pk).update(text=text[:2_000])
    path = f"/incidents/{incident.pk}/"
    assert_clean(text_of(a_person(make_user).get(path)), path)


def test_where_no_model_is_set_nobody_is_invited_to_ask(
    incident: Incident, make_user: MakeUser, settings: Any
) -> None:
    ada = a_person(make_user)
    assert "Ask about this incident" in text_of(ada.get(f"/incidents/{incident.pk}/"))
    unset = {**settings.MODEL_ENDPOINTS["default"], "base_url": "", "model": ""}
    settings.MODEL_ENDPOINTS = {**settings.MODEL_ENDPOINTS, "default": unset}
    text = text_of(ada.get(f"/incidents/{incident.pk}/"))
    assert "Ask about this incident" not in text
    assert "no model is connected" in text
