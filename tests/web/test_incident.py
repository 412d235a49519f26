"""The incident page and what people do on it.

Each move: htmx, plain browser, refusal, stranger, wrong method, missing row.
"""

import html
import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import Team, User
from accounts.roles import Role
from assay_core.results import Status
from audit import reading
from incidents import record
from incidents.models import Incident, Resolution
from incidents.states import State
from investigations.models import Verdict
from tests.db.investigated import Scripted, job, world
from tests.db.sources import an_alert, body_of, deliver, make_source
from tests.web.pages import HTMX, MakeUser, a_person, judged, signed_in, text_of
from toolbox.connectors.base import Outcome

pytestmark = pytest.mark.django_db
MOVES = ("close", "reopen", "acknowledge", "assign", "ask")


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


@pytest.fixture
def passed(connector: Scripted) -> Incident:
    return judged()


@pytest.fixture
def failed(connector: Scripted) -> Incident:
    connector.answers["find_job"] = job("failed")
    return judged()


def closing(incident: Incident, **values: Any) -> dict[str, Any]:
    return {
        "version": incident.version,
        "outcome": "harmless",
        "answer": "All is well.",
        "reason": "",
        **values,
    }


def address(incident: Incident, move: str = "") -> str:
    return f"/incidents/{incident.pk}/{move}/" if move else f"/incidents/{incident.pk}/"


def kinds(incident: Incident) -> list[str]:
    return [entry.kind for entry in reading.of_incident(incident.pk)]


# --- Who may, and how ------------------------------------------------------------------------------


@pytest.mark.parametrize("move", ["", *MOVES])
def test_another_teams_incident_is_404_and_nothing_happens(
    connector: Scripted, make_user: MakeUser, move: str
) -> None:
    incident = judged(make_source(team=Team.objects.create(name="Bank", slug="bank")))
    before = kinds(incident)
    client = a_person(make_user, teams=[Team.objects.create(name="Shop", slug="shop")])
    ask = client.post if move else client.get
    assert ask(address(incident, move), closing(incident)).status_code == 404
    assert kinds(incident) == before


@pytest.mark.parametrize("number", [0, 999_999, 2**63 - 1, 2**63, 10**30])
def test_a_number_without_an_incident_is_404(make_user: MakeUser, number: int) -> None:
    client = a_person(make_user)
    assert client.get(f"/incidents/{number}/").status_code == 404
    for move in MOVES:
        assert client.post(f"/incidents/{number}/{move}/", {"version": 0}).status_code == 404


@pytest.mark.parametrize("move", MOVES)
def test_an_auditor_reads_and_does_not_write(passed: Incident, make_user: MakeUser, move: str) -> None:
    client = a_person(make_user, role=Role.AUDITOR)
    page = text_of(client.get(address(passed)))
    assert "Drafted answer" in page
    assert f'action="{address(passed, move)}"' not in page
    before = kinds(passed)
    assert client.post(address(passed, move), closing(passed)).status_code == 403
    assert kinds(passed) == before


@pytest.mark.parametrize("move", MOVES)
def test_a_move_takes_a_post(passed: Incident, make_user: MakeUser, move: str) -> None:
    client = a_person(make_user)
    for method in ("get", "put", "delete"):
        assert getattr(client, method)(address(passed, move)).status_code == 405


@pytest.mark.parametrize("move", MOVES)
def test_a_move_without_the_forms_token_is_refused(passed: Incident, make_user: MakeUser, move: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user("ada", role=Role.SUPPORT))
    assert client.post(address(passed, move), closing(passed)).status_code == 403


# --- What the page says ----------------------------------------------------------------------------


def test_a_pass_says_by_which_rule_it_was_earned(passed: Incident, make_user: MakeUser) -> None:
    page = text_of(a_person(make_user).get(address(passed)))
    assert "Earned a pass" in page
    assert "By the rule “job finished on retry”: all 2 facts of it hold." in page
    assert 'id="fact-job_completed"' in page
    draft = page.partition('id="draft"')[2].partition("</section>")[0]
    assert '<a class="cite" href="/entries/' in draft, "the draft's citations open their entries"
    for entry in reading.of_incident(passed.pk):
        assert f'id="entry-{entry.id}"' in page, "every entry has its deep link"
        if entry.kind == "tool.called":
            assert f'href="/entries/{entry.id}/"' in page


def test_a_pass_that_was_taken_away_says_why_and_needs_a_person(
    passed: Incident, make_user: MakeUser
) -> None:
    Incident.objects.filter(pk=passed.pk).update(verdict_passed=None, verdict_reason="It fired again.")
    page = text_of(a_person(make_user).get(address(passed)))
    assert "Earned a pass" not in page
    assert "Needs a person" in page
    assert "It fired again." in page


def test_a_fail_names_each_fact_that_fails_or_has_no_answer(connector: Scripted, make_user: MakeUser) -> None:
    connector.answers["find_job"] = job("failed")
    connector.answers["count_errors"] = Outcome(Status.UNANSWERABLE, None, reason="no line was scanned")
    page = text_of(a_person(make_user).get(address(judged())))
    assert "Needs a person" in page
    assert "1 fact does not hold and 1 fact could not be answered, of 2 facts." in page
    assert "no line was scanned" in page
    assert 'name="fact" value="no_recurrence"' in page


def test_an_incident_that_nobody_investigated_says_so(make_user: MakeUser) -> None:
    from tests.web.test_queue import incident

    page = text_of(a_person(make_user).get(address(incident(make_source(), state=State.OPEN))))
    assert "Nobody has investigated this incident yet." in page


def test_a_field_that_is_named_for_a_secret_is_masked_in_what_the_sender_said(make_user: MakeUser) -> None:
    named = {"api_key": "Zebra-first", "password": "Zebra-second", "dsn": "Zebra-third"}
    alert = an_alert(labels={"alertname": "A", **named}, annotations={"summary": "S", **named})
    incident = deliver(make_source(), body_of(alert)).signals.get().incident
    assert incident is not None
    page = text_of(a_person(make_user).get(f"/incidents/{incident.pk}/"))
    assert page.count("[redacted: field]") == 9  # in the identifiers, the text and the labels
    told = record.record(incident)
    for shown in (page, repr(told), record.markdown(told)):
        assert "Zebra" not in shown


def test_the_page_asks_few_questions_of_the_database(
    passed: Incident, make_user: MakeUser, django_assert_max_num_queries: Any
) -> None:
    client = a_person(make_user)
    client.get(address(passed))
    with django_assert_max_num_queries(15):
        client.get(address(passed))


# --- Closing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"outcome": ""}, "Choose an outcome."),
        ({"outcome": "solved"}, "Choose one of the outcomes"),
        ({"outcome": "duplicate of"}, "Give the number of the incident"),
        ({"outcome": "duplicate of", "duplicate_of": "99999"}, "There is no incident 99999."),
        ({"outcome": "duplicate of", "duplicate_of": "x"}, "whole number"),
        ({"version": ""}, "lost the version"),
        ({"version": "-1"}, "lost the version"),
        ({"answer": "x" * 20_001}, "at most 20000 characters"),
        ({"answer": "a\0b"}, "Null characters"),
        ({"outcome": "real and fixed"}, "says otherwise"),
    ],
)
def test_a_form_that_will_not_do_comes_back_with_what_was_typed(
    passed: Incident, make_user: MakeUser, values: dict[str, str], words: str
) -> None:
    client = a_person(make_user)
    typed = closing(passed, **{"answer": "typed with care", **values})
    for headers in ({}, HTMX):
        response = client.post(address(passed, "close"), typed, headers=headers)
        assert response.status_code == 422
        assert words in text_of(response)
        if typed["answer"] == "typed with care":
            assert "typed with care" in text_of(response)
    passed.refresh_from_db()
    assert passed.state == State.REVIEW
    assert not Resolution.objects.exists()


def test_a_plain_browser_closes_by_post_and_redirect(passed: Incident, make_user: MakeUser) -> None:
    client = a_person(make_user)
    response = client.post(address(passed, "close"), closing(passed), follow=True)
    assert response.redirect_chain == [(address(passed), 302)]
    page = text_of(response)
    assert "Closed: harmless." in page
    assert "All is well." in page
    resolution = Resolution.objects.get()
    assert resolution.by is not None
    assert (resolution.answer, resolution.by.username) == ("All is well.", "ada")
    assert "incident.closed" in kinds(passed)


def test_a_closed_one_says_first_that_it_is_closed_and_how(passed: Incident, make_user: MakeUser) -> None:
    ada = a_person(make_user)
    ada.post(f"/incidents/{passed.pk}/close/", {"version": passed.version, "outcome": "harmless"})
    page = text_of(ada.get(f"/incidents/{passed.pk}/"))
    banner = page.partition('id="verdict"')[2].partition("</section>")[0]
    assert "Closed: harmless" in banner
    assert "The verdict was: <b>Earned a pass</b>" in banner


def test_htmx_closes_and_gets_the_part(passed: Incident, make_user: MakeUser) -> None:
    response = a_person(make_user).post(address(passed, "close"), closing(passed), headers=HTMX)
    page = text_of(response)
    assert response.status_code == 200
    assert page.startswith('<article id="incident"')
    assert "<html" not in page
    assert 'id="messages"' in page
    assert "Reopen" in page


def test_a_second_click_changes_nothing_and_says_what_happened(passed: Incident, make_user: MakeUser) -> None:
    client = a_person(make_user)
    assert client.post(address(passed, "close"), closing(passed)).status_code == 302
    again = client.post(address(passed, "close"), closing(passed, answer="my other words"))
    assert again.status_code == 422
    assert "is closed" in text_of(again)
    assert "What you had typed, not saved" in text_of(again)
    assert "my other words" in text_of(again)
    assert Resolution.objects.count() == 1


def test_of_two_people_the_second_sees_it_and_keeps_the_text(passed: Incident, make_user: MakeUser) -> None:
    ada, ben = a_person(make_user, "ada"), a_person(make_user, "ben")
    assert ada.post(address(passed, "acknowledge"), {"version": passed.version}).status_code == 302
    late = ben.post(address(passed, "close"), closing(passed, answer="Ben's words"))
    assert late.status_code == 422
    assert "Ben&#x27;s words" in text_of(late)
    passed.refresh_from_db()
    assert passed.state == State.REVIEW
    form = late.context["close_form"]
    assert form["version"].value() == passed.version, "the next try is made on what is shown now"


def test_another_teams_incident_cannot_be_named_as_the_first(passed: Incident, make_user: MakeUser) -> None:
    other = judged(make_source("bank", team=Team.objects.create(name="Bank", slug="bank")), "job-8")
    typed = closing(passed, outcome="duplicate of", duplicate_of=other.pk)
    response = a_person(make_user).post(address(passed, "close"), typed)
    assert f"There is no incident {other.pk}." in text_of(response)
    assert not Resolution.objects.exists()


# --- The other moves -------------------------------------------------------------------------------


def test_reopening_needs_a_reason_and_links_the_closing(passed: Incident, make_user: MakeUser) -> None:
    client = a_person(make_user)
    client.post(address(passed, "close"), closing(passed))
    passed.refresh_from_db()
    silent = client.post(address(passed, "reopen"), {"version": passed.version, "reason": " "})
    assert silent.status_code == 422
    assert "Say why it is open again" in text_of(silent)
    done = client.post(
        address(passed, "reopen"), {"version": passed.version, "reason": "It came back."}, follow=True
    )
    assert "Open again." in text_of(done)
    assert "How it was closed before" in text_of(done)
    passed.refresh_from_db()
    assert passed.state != State.CLOSED


def test_acknowledging_and_taking_and_giving_back(failed: Incident, make_user: MakeUser) -> None:
    client = a_person(make_user)
    assert "Acknowledged." in text_of(
        client.post(address(failed, "acknowledge"), {"version": failed.version}, headers=HTMX)
    )
    failed.refresh_from_db()
    client.post(address(failed, "assign"), {"version": failed.version, "to": "me"})
    failed.refresh_from_db()
    assert failed.assignee == User.objects.get(username="ada")
    assert "Give back" in text_of(client.get(address(failed)))
    client.post(address(failed, "assign"), {"version": failed.version, "to": "nobody"})
    failed.refresh_from_db()
    assert failed.assignee is None


@pytest.mark.parametrize("move", ["acknowledge", "assign"])
def test_a_stale_or_missing_version_is_refused(failed: Incident, make_user: MakeUser, move: str) -> None:
    client = a_person(make_user)
    for version in ("", "x", failed.version + 1):
        assert client.post(address(failed, move), {"version": version}).status_code == 422
    failed.refresh_from_db()
    assert (failed.assignee, failed.acknowledged_at) == (None, None)


def test_asking_now_judges_again_and_can_earn_the_pass(connector: Scripted, make_user: MakeUser) -> None:
    connector.answers["count_errors"] = Outcome(Status.UNAVAILABLE, None, reason="the logs are away")
    incident = judged()
    client = a_person(make_user)
    assert incident.verdict_passed is False
    connector.answers["count_errors"] = Outcome(Status.OBSERVED, {"match_count": 0})
    response = client.post(address(incident, "ask"), {"fact": "no_recurrence"}, headers=HTMX)
    assert response.status_code == 200
    assert "Earned a pass" in text_of(response)
    assert Verdict.objects.count() == 2
    incident.refresh_from_db()
    assert incident.verdict_passed is True


@pytest.mark.parametrize("fact", ["no_such_fact", "x" * 500, "<script>"])
def test_asking_for_what_is_no_fact_is_refused_in_words(
    failed: Incident, make_user: MakeUser, fact: str
) -> None:
    response = a_person(make_user).post(address(failed, "ask"), {"fact": fact})
    assert response.status_code == 422
    assert 'role="alert"' in text_of(response)
    assert "<script>alert" not in text_of(response)
    assert Verdict.objects.count() == 1


def test_a_later_incident_and_the_one_before_link_together(passed: Incident, make_user: MakeUser) -> None:
    from tests.web.test_queue import incident

    user = make_user("ada", role=Role.SUPPORT)
    later = incident(passed.source, previous=passed)
    assert f"came back as #{later.pk}" in text_of(signed_in(user).get(address(passed)))
    assert f"follows #{passed.pk}" in text_of(signed_in(user).get(address(later)))


def test_its_page_leads_to_where_it_is_given_snoozed_or_graded(passed: Incident, make_user: MakeUser) -> None:
    ada = a_person(make_user)
    link = re.search(r'href="([^"]*)#row-\d+">give, snooze or grade it', text_of(ada.get(address(passed))))
    assert link
    page = text_of(ada.get(html.unescape(link.group(1))))
    assert f'id="edit-{passed.pk}"' in page
    auditor = a_person(make_user, "otto", Role.AUDITOR)
    assert "give, snooze or grade it" not in text_of(auditor.get(address(passed)))
