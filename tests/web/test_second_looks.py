"""What a person does about a verdict on the incident page, by htmx and by a plain browser."""

import io
import json
import zipfile
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Team
from accounts.roles import Role
from audit import reading
from incidents import identifiers
from incidents.models import Identifier, Incident
from investigations.models import Case, Investigation, Verdict
from tests.db.investigated import Scripted, world
from tests.db.sources import make_source
from tests.web.hostile import TEXTS
from tests.web.pages import HTMX, MakeUser, a_person, judged, text_of
from verdicts.loading import RuleUnusable, load_rule

pytestmark = pytest.mark.django_db
MOVES = ("refute", "withdraw", "identify", "investigate")


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


@pytest.fixture
def passed(connector: Scripted) -> Incident:
    return judged()


@pytest.fixture
def ada(make_user: MakeUser) -> Client:
    return a_person(make_user)


def an_answer(incident: Incident) -> int:
    case = json.loads(Case.objects.filter(investigation__incident_id=incident.pk).latest("pk").body)
    return int(case["case"]["entries"][0][0])


def form_of(incident: Incident, move: str) -> dict[str, Any]:
    forms: dict[str, dict[str, Any]] = {
        "refute": {"entry": an_answer(incident), "because": "I saw it fail"},
        "withdraw": {"entry": an_answer(incident), "because": "I was wrong"},
        "identify": {"name": "order_id", "value": "SO-1"},
        "investigate": {"version": incident.version},
    }
    return forms[move]


def address(incident: Incident, move: str) -> str:
    return f"/incidents/{incident.pk}/{move}/"


def act(client: Client, incident: Incident, move: str, **more: Any) -> Any:
    incident.refresh_from_db()
    if move == "withdraw" and not more.pop("bare", False):
        client.post(address(incident, "refute"), form_of(incident, "refute"))
    return client.post(address(incident, move), form_of(incident, move), **more)


@pytest.mark.parametrize("move", MOVES)
def test_a_stranger_signs_in_and_a_reader_may_not(passed: Incident, make_user: MakeUser, move: str) -> None:
    assert Client().post(address(passed, move)).status_code == 302
    auditor = a_person(make_user, "eve", Role.AUDITOR)
    assert act(auditor, passed, move).status_code == 403
    page = text_of(auditor.get(f"/incidents/{passed.pk}/"))
    for words in ("Investigate again", "Give an identifier", "speaks against it", "Draft a rule"):
        assert words not in page


@pytest.mark.parametrize("move", MOVES)
def test_another_teams_incident_is_not_there(connector: Scripted, make_user: MakeUser, move: str) -> None:
    theirs = judged(make_source(team=Team.objects.create(slug="other", name="Other")))
    assert act(a_person(make_user), theirs, move).status_code == 404
    assert (Verdict.objects.count(), Identifier.objects.count()) == (1, 0)


@pytest.mark.parametrize("move", MOVES)
def test_get_is_refused_and_a_missing_incident_not_found(ada: Client, passed: Incident, move: str) -> None:
    assert ada.get(address(passed, move)).status_code == 405
    assert ada.post(f"/incidents/99999/{move}/", {}).status_code == 404
    assert ada.post(f"/incidents/{2**63}/{move}/", {}).status_code == 404


@pytest.mark.parametrize("move", MOVES)
def test_a_form_that_says_too_little_changes_nothing(ada: Client, passed: Incident, move: str) -> None:
    response = ada.post(address(passed, move), {})
    assert (response.status_code, 'role="alert"' in text_of(response)) == (422, True)
    assert (Verdict.objects.count(), Identifier.objects.count(), Investigation.objects.count()) == (1, 0, 1)


@pytest.mark.parametrize("move", MOVES)
def test_a_plain_browser_is_sent_back_and_htmx_gets_the_part(
    ada: Client, connector: Scripted, move: str
) -> None:
    plain, swapped = judged(), judged(make_source("second"), "job-8")
    assert act(ada, plain, move).url == f"/incidents/{plain.pk}/"
    response = act(ada, swapped, move, headers=HTMX)
    assert (response.status_code, text_of(response).lstrip().startswith("<article")) == (200, True)


@pytest.mark.parametrize("move", ["refute", "identify", "investigate"])
def test_a_second_time_is_refused_in_words(ada: Client, passed: Incident, move: str) -> None:
    form = form_of(passed, move)
    assert ada.post(address(passed, move), form).status_code == 302
    assert ada.post(address(passed, move), form).status_code == 422


def test_what_was_said_stands_on_the_page_with_its_reason(ada: Client, passed: Incident) -> None:
    act(ada, passed, "refute")
    page = text_of(ada.get(f"/incidents/{passed.pk}/"))
    assert "ada: I saw it fail" in page
    assert "Needs a person" in page
    assert "Withdraw it" in page
    act(ada, passed, "withdraw", bare=True)
    page = text_of(ada.get(f"/incidents/{passed.pk}/"))
    assert "Earned a pass" in page


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_no_reason_becomes_markup(ada: Client, passed: Incident, text: str) -> None:
    ada.post(address(passed, "refute"), {"entry": an_answer(passed), "because": text[:480]})
    page = text_of(ada.get(f"/incidents/{passed.pk}/"))
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_what_a_model_named_is_marked_and_confirmed_here(ada: Client, passed: Incident) -> None:
    row = identifiers.name_by_model(passed, "order_id", "SO-1", by="model:x", now=timezone.now())
    page = text_of(ada.get(f"/incidents/{passed.pk}/"))
    assert "only a model named it" in page
    assert ada.post(address(passed, "identify"), {"confirms": row.pk}).status_code == 302
    page = text_of(ada.get(f"/incidents/{passed.pk}/"))
    assert "only a model named it" not in page
    assert "confirmed by" in page


def test_facts_lead_to_their_checks(ada: Client, passed: Incident) -> None:
    page = text_of(ada.get(f"/incidents/{passed.pk}/"))
    assert "/rules/job_finished_on_retry/#check-job_completed" in page


def test_a_rule_is_begun_from_the_cited_answers(ada: Client, passed: Incident, tmp_path: Any) -> None:
    response = ada.get(f"/incidents/{passed.pk}/rule/?name=job_is_done")
    assert response["Content-Disposition"] == 'attachment; filename="job_is_done.zip"'
    with zipfile.ZipFile(io.BytesIO(response.content)) as files:
        assert sorted(files.namelist()) == ["job_is_done.cases.json", "job_is_done.py"]
        files.extractall(tmp_path)
    source = (tmp_path / "job_is_done.py").read_text()
    assert 'subject["job_id"]' in source
    assert "find_job" in source
    cases = json.loads((tmp_path / "job_is_done.cases.json").read_text())
    assert {entry["tool"] for case in cases for entry in case["entries"]} == {"find_job", "count_errors"}
    with pytest.raises(RuleUnusable):  # a beginning earns nothing until a person has finished it
        load_rule(tmp_path / "job_is_done.py", {})
    assert reading.of_incident(passed.pk)[-1].kind == "rule.drafted"


def test_a_draft_without_a_name_takes_the_titles_words(ada: Client, passed: Incident) -> None:
    assert ada.get(f"/incidents/{passed.pk}/rule/")["Content-Disposition"].endswith('.zip"')


@pytest.mark.parametrize("name", ["Job", "../x", "a b", "1a", "a" * 5 + "-b"])
def test_a_draft_under_no_name_of_a_rule_is_refused(ada: Client, passed: Incident, name: str) -> None:
    response = ada.get(f"/incidents/{passed.pk}/rule/", {"name": name})
    assert (response.status_code, "No rule was begun" in text_of(response)) == (409, True)


def test_a_draft_is_for_those_who_work_on_the_incident(passed: Incident, make_user: MakeUser) -> None:
    path = f"/incidents/{passed.pk}/rule/"
    assert Client().get(path).status_code == 302
    assert a_person(make_user, "eve", Role.AUDITOR).get(path).status_code == 403
    assert a_person(make_user).post(path).status_code == 405
    theirs = judged(make_source("second", team=Team.objects.create(slug="other", name="Other")), "job-8")
    assert a_person(make_user, "carl").get(f"/incidents/{theirs.pk}/rule/").status_code == 404
