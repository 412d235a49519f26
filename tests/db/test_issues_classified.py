"""An issue on its way: classified in its run, shown as what it is, and labelled by a person at the end."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from assay_core.results import Status
from audit import reading
from incidents import labelled, services
from incidents.models import Incident, Source
from incidents.moves import MoveRefused
from incidents.states import State
from investigations import labelling, leases
from investigations.models import Classified, Exchange, Investigation
from tests import scripted
from tests.db.investigated import Scripted, a_tool
from tests.db.issues import REPOSITORY, a_source, an_issue, deliver, event
from tests.db.modelled import speaking
from tests.scripted import says, status
from toolbox import registry
from toolbox.connectors.base import Outcome
from toolbox.registry import Toolbox
from verdicts.case import Subject

pytestmark = pytest.mark.django_db
TRACE = 'It says:\n  File "shop/views.py", line 3, in parcel\nKeyError: 7'


def reply(label: str = "bug", *reasons: str, **more: Any) -> scripted.Scripted:
    told = {"label": label, "reasons": list(reasons or ["no_actionable_detail"]), "needs_human": False}
    return says(json.dumps({**told, **more}))


def come(source: Source, number: int = 7, **issue: Any) -> Incident:
    """Let an issue come in; nobody has looked at it yet."""
    deliver(source, event(issue=an_issue(number, **issue)))
    return Incident.objects.get(sender_key=f"{REPOSITORY}#{number}")


def investigate(incident: Incident) -> Incident:
    run = Investigation.objects.filter(incident_id=incident.pk).latest("pk")
    services.investigate(run.pk, now=timezone.now())
    incident.refresh_from_db()
    return incident


def close(incident: Incident, by: Any, label: str, **more: Any) -> None:
    said: dict[str, Any] = {"outcome": "real and fixed", "answer": "", "reason": "", **more}
    services.close(incident.pk, by=by, version=incident.version, now=timezone.now(), label=label, **said)


@pytest.fixture
def source() -> Source:
    return a_source()


def test_without_a_model_an_issue_goes_to_a_person(source: Source) -> None:
    incident = investigate(come(source))
    assert (incident.state, incident.verdict_passed) == (State.REVIEW, False)
    assert not Classified.objects.exists()


def test_an_issue_is_classified_once_and_a_label_earns_no_pass(source: Source, settings: Any) -> None:
    with speaking(settings, [reply("bug", "stack_trace_present")]) as server:
        incident = investigate(come(source, body=TRACE, labels=[{"name": "bug"}]))
    assert server.overrun == 0  # no rule is about it, so nothing else is asked
    row = Classified.objects.get()
    assert (row.status, row.label, row.needs_human, row.why) == ("first_pass", "bug", False, "")
    assert row.checks[0]["outcome"] == "holds"
    assert row.exchanges == list(Exchange.objects.values_list("pk", flat=True))
    assert Exchange.objects.get().purpose == "classifier"
    assert (incident.state, incident.verdict_passed) == (State.REVIEW, False)
    kinds = [entry.kind for entry in reading.of_incident(incident.pk)]
    assert kinds.count("issue.classified") == 1


def test_an_endpoint_that_is_down_leaves_the_issue_to_a_person(source: Source, settings: Any) -> None:
    with speaking(settings, [status(503)] * 9):
        incident = investigate(come(source))
    row = Classified.objects.get()
    assert (row.status, row.label, row.needs_human) == ("endpoint_down", "", True)
    assert incident.state == State.REVIEW


def test_a_budget_that_is_spent_leaves_the_issue_to_a_person(source: Source, settings: Any) -> None:
    settings.AGENT_MAX_TOKENS = 10
    with speaking(settings, [reply()]) as server:
        investigate(come(source))
    row = Classified.objects.get()
    assert (row.status, row.label, len(server.requests)) == ("fallback", "", 0)
    assert "AGENT_MAX_TOKENS" in row.why


def test_a_run_that_is_taken_over_pays_for_its_classification_once(source: Source, settings: Any) -> None:
    incident = come(source)
    run = Investigation.objects.get(incident_id=incident.pk)
    lease = leases.claim(run.pk)
    assert lease is not None
    with speaking(settings, [reply()]) as server:
        subject = Subject.from_text(run.subject)
        labelling.classify_issue(run, lease, subject, labelling.nothing_known)
        Investigation.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(hours=1))
        investigate(incident)
    assert len(server.requests) == 1
    assert Classified.objects.get().attempt == lease.attempt


@pytest.mark.parametrize(
    ("text", "claimed", "says_why"),
    [
        ("It is white.", "stack_trace_present", "no stack trace"),
        ("Seen with v1.4.2.", "version_missing", "v1.4.2"),
        ("It is white.", "links_prior_issue", "links no issue"),
        ("Like #7.", "links_prior_issue", "this issue itself"),
        ("Like #8.", "links_prior_issue", "younger"),
        ("Like #3.", "links_prior_issue", "could not be told"),
        ("Like other/place#1.", "links_prior_issue", "could not be told"),
    ],
)
def test_a_reason_that_the_text_contradicts_goes_to_a_person_in_words(
    source: Source, settings: Any, text: str, claimed: str, says_why: str
) -> None:
    with speaking(settings, [reply("bug", claimed)]):
        investigate(come(source, body=text))
    row = Classified.objects.get()
    assert (row.label, row.needs_human) == ("bug", True)
    assert claimed in row.why
    assert says_why in row.why


def test_a_link_to_an_issue_that_came_in_before_holds_and_of_another_source_does_not(
    source: Source, settings: Any
) -> None:
    come(source, 3)
    deliver(a_source("other"), event(issue=an_issue(4)))
    with speaking(settings, [reply("duplicate", "links_prior_issue"), reply("bug", "links_prior_issue")]):
        first = investigate(come(source, 7, body="The same as #3."))
        investigate(come(source, 8, body="The same as #4."))
    holds, other = Classified.objects.order_by("pk")
    assert (holds.needs_human, holds.incident_id) == (False, first.pk)
    assert "incident" in holds.checks[0]["words"]
    assert other.needs_human


def test_no_row_can_hold_a_label_beside_a_fallback(source: Source, settings: Any) -> None:
    with speaking(settings, [says("nonsense"), says("nonsense")]):
        investigate(come(source))
    row = Classified.objects.get()
    assert (row.status, row.reasons) == ("fallback", ["unparseable"])
    for change in ({"label": "bug"}, {"needs_human": False}, {"status": "repaired"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Classified.objects.update(**change)


def test_a_person_gives_the_label_that_counts_and_an_override_is_told_apart(
    source: Source, settings: Any, make_user: Any
) -> None:
    ada, began = make_user(), timezone.now()
    with speaking(settings, [reply("bug"), reply("docs"), says("no"), says("no")]):
        issues = [investigate(come(source, number)) for number in (3, 4, 5)]
    for incident, label in zip(issues, ("question", "docs", "spam"), strict=True):
        close(incident, ada, label)
    close(come(source, 6), ada, "")
    found = labelled.human_labels(began)
    assert [(each.number, each.label, each.model_label, each.is_override) for each in found] == [
        ("3", "question", "bug", True),
        ("4", "docs", "docs", False),
        ("5", "spam", "", False),
    ]
    assert (found[0].repository, found[0].by, found[0].title) == (REPOSITORY, ada.username, issues[0].title)
    assert labelled.human_labels(timezone.now()) == []


def test_the_last_label_of_a_closed_issue_counts_and_names_what_it_repeats(
    source: Source, make_user: Any
) -> None:
    ada, began = make_user(), timezone.now()
    older, incident = come(source, 3), come(source, 7)
    close(incident, ada, "bug")
    incident.refresh_from_db()
    services.reopen(incident.pk, by=ada, reason="It is back.", version=incident.version, now=timezone.now())
    assert labelled.human_labels(began) == []
    incident.refresh_from_db()
    close(incident, ada, "duplicate", outcome="duplicate of", duplicate_of=older.pk)
    (last,) = labelled.human_labels(began)
    assert (last.label, last.target) == ("duplicate", f"{REPOSITORY}#3")


@pytest.mark.parametrize("label", ["Bug", "security", "b\0"])
def test_a_label_outside_the_set_closes_nothing(source: Source, make_user: Any, label: str) -> None:
    incident = come(source)
    with pytest.raises(MoveRefused, match="There is no label"):
        close(incident, make_user(), label)
    incident.refresh_from_db()
    assert incident.state == State.OPEN


def test_a_link_that_never_came_in_is_asked_of_github_in_its_own_repository_alone(
    source: Source, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    connector = Scripted()
    there = {"number": 3, "created_at": "2026-02-01T00:00:00Z", "pull_request": None}
    connector.answers["github_issue"] = Outcome(Status.OBSERVED, {"issue": there})
    fields = {"owner": {"type": "string"}, "repo": {"type": "string"}, "number": {"type": "integer"}}
    toolbox = Toolbox({"github_issue": a_tool("github_issue", fields)}, {"scripted": connector})
    monkeypatch.setattr(registry, "current", lambda: toolbox)
    linking = reply("duplicate", "links_prior_issue")
    with speaking(settings, [linking] * 3):
        investigate(come(source, 7, body="The same as #3."))
        investigate(come(source, 8, body="The same as other/place#3."))
        connector.answers["github_issue"] = Outcome(Status.EMPTY, {"issue": None})
        investigate(come(source, 9, body="The same as #4."))
    holds, elsewhere, missing = Classified.objects.order_by("pk")
    assert (holds.needs_human, holds.checks[0]["outcome"]) == (False, "holds")
    assert "entry" in holds.checks[0]["words"]
    assert "its own repository" in elsewhere.why
    assert "does not exist" in missing.why
    assert [asked["number"] for _, asked in connector.asked] == [3, 4]
