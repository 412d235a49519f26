"""An issue's page: what a model said, what code found of it, who must look, and its label on GitHub."""

import json
from pathlib import Path
from typing import Any

import pytest
import redis
from django.test import Client
from django.utils import timezone

from accounts.roles import Role
from approvals.models import ActionRequest
from incidents import services
from incidents.models import HumanLabel, Incident
from investigations.models import Investigation
from tests.db.issues import REPOSITORY, a_source, an_issue, deliver, event
from tests.db.modelled import speaking
from tests.scripted import says
from tests.web.pages import HTMX, MakeUser, a_person, text_of
from toolbox import counting
from triage import metrics
from triage.api import plainly

pytestmark = pytest.mark.django_db
REPLY = {"label": "bug", "reasons": ["stack_trace_present", "asks_how_to"], "needs_human": False}
HOSTILE = '<img src=x onerror=alert(1)> {{ 7|add:"7" }} ](javascript:alert(1)) \u202e'
ACTIONS = f"""
labels:
  credential: github
  repositories: [{REPOSITORY}]
  labels: [bug, docs]
  tool: github_issue
  labels_path: issue.labels
"""


@pytest.fixture
def incident(settings: Any) -> Incident:
    labels = [{"name": "feature <b>"}]
    deliver(a_source(), event(issue=an_issue(title=HOSTILE, body=HOSTILE, labels=labels)))
    run = Investigation.objects.get()
    with speaking(settings, [says(json.dumps(REPLY))]):
        services.investigate(run.pk, now=timezone.now())
    return Incident.objects.get()


@pytest.fixture
def ada(make_user: MakeUser) -> Client:
    return a_person(make_user, role=Role.ON_CALL)


def address(incident: Incident, rest: str = "") -> str:
    return f"/incidents/{incident.pk}/{rest}"


def test_the_page_shows_what_was_claimed_and_what_code_found(incident: Incident, ada: Client) -> None:
    page = text_of(ada.get(address(incident)))
    assert "A person has to look." in page
    assert "no stack trace" in page
    assert "contradicted by the text" in page
    assert "the model&#x27;s word alone" in page or "the model's word alone" in page
    assert "They prove nothing." in page
    assert "<img src=x" not in page
    assert "feature <b>" not in page
    assert "Propose this label on GitHub" not in page  # no such action is declared here


def test_without_a_model_the_page_says_that_a_person_labels_it(ada: Client) -> None:
    deliver(a_source(), event())
    run = Investigation.objects.get()
    services.investigate(run.pk, now=timezone.now())
    page = text_of(ada.get(address(Incident.objects.get())))
    assert "No model classified this issue" in page


def test_an_edit_after_the_classification_is_said(incident: Incident, ada: Client) -> None:
    assert "was edited after" not in text_of(ada.get(address(incident)))
    deliver(incident.source, event("edited", an_issue(title=HOSTILE, body="Something else.")))
    assert "was edited after" in text_of(ada.get(address(incident)))


def test_the_record_and_the_api_hold_the_classification(incident: Incident, ada: Client) -> None:
    record = json.loads(text_of(ada.get(address(incident, "record.json"))))
    assert (record["classification"]["label"], record["classification"]["needs_human"]) == ("bug", True)
    as_words = text_of(ada.get(address(incident, "record.md")))
    assert "## Classification" in as_words
    told = plainly.one_incident(incident, veiled=False)["classification"]
    assert told["checks"][0]["outcome"] == "contradicted"
    assert plainly.one_incident(incident, veiled=True)["classification"] is None


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_person_closes_with_a_label_of_their_own(
    incident: Incident, ada: Client, headers: dict[str, str]
) -> None:
    form = {"outcome": "harmless", "version": incident.version, "label": "spam", "reason": "An advert."}
    answer = ada.post(address(incident, "close/"), form, headers=headers)
    assert answer.status_code == (200 if headers else 302)
    kept = HumanLabel.objects.get()
    assert (kept.label, kept.model_label, kept.is_override) == ("spam", "bug", True)
    assert "the model had said bug" in text_of(ada.get(address(incident)))


def test_a_label_that_is_none_is_refused_with_the_form_kept(incident: Incident, ada: Client) -> None:
    form = {"outcome": "harmless", "version": incident.version, "label": "security", "reason": "Mine."}
    answer = ada.post(address(incident, "close/"), form)
    assert answer.status_code == 422
    assert "Choose one of the labels" in text_of(answer)
    assert "Mine." in text_of(answer)
    assert not HumanLabel.objects.exists()


def test_a_label_is_proposed_and_written_by_nobody(
    incident: Incident, ada: Client, settings: Any, tmp_path: Path
) -> None:
    declared = tmp_path / "actions.yaml"
    declared.write_text(ACTIONS)
    settings.TRIAGE_ACTIONS = str(declared)
    page = text_of(ada.get(address(incident)))
    assert "Propose this label on GitHub" in page
    assert ada.post(address(incident, "label/"), {"label": "bug"}).status_code == 302
    again = ada.post(address(incident, "label/"), {"label": "bug"}, headers=HTMX)
    assert again.status_code == 200
    request = ActionRequest.objects.get()
    assert (request.action, request.state) == ("github.add_labels", "proposed")
    assert json.loads(request.arguments) == {"repository": REPOSITORY, "number": 7, "label": "bug"}
    refused = ada.post(address(incident, "label/"), {"label": "spam"})
    assert refused.status_code == 422
    assert "Not proposed." in text_of(refused)


def test_who_only_reads_a_stranger_and_a_missing_incident_propose_nothing(
    incident: Incident, make_user: MakeUser
) -> None:
    reader = a_person(make_user, "otto", role=Role.AUDITOR)
    assert reader.post(address(incident, "label/"), {"label": "bug"}).status_code == 403
    writer = a_person(make_user, "ines", role=Role.SUPPORT)
    assert writer.get(address(incident, "label/")).status_code == 405
    assert writer.post(f"/incidents/{incident.pk + 99}/label/", {"label": "bug"}).status_code == 404
    assert not ActionRequest.objects.exists()


def test_a_parked_delivery_says_why_nothing_is_done_with_it(incident: Incident, ada: Client) -> None:
    parked = deliver(incident.source, event(), kind="issue_comment")
    page = text_of(ada.get(f"/deliveries/{parked.pk}/"))
    assert "Why nothing is done with it" in page
    assert "not about an issue itself" in page
    assert "Set aside after" not in page


def test_classifications_are_counted_and_drifts_apart(redis_url: str) -> None:
    counting.flush()
    with redis.from_url(redis_url) as broker:
        broker.delete(counting.CLASSIFIED)
    for has_drifted in (False, True, True):
        counting.note_classified("repaired", has_drifted=has_drifted)
    (family,) = metrics.classifications()
    assert {(each.labels["drifted"], each.value) for each in family.samples} == {("no", 1), ("yes", 2)}
