"""An incident is taken, investigated, judged, and asked for what is missing."""

from collections.abc import Callable

import pytest

from accounts.models import User
from assay_core.results import Status
from audit import reading
from incidents import services
from incidents.models import Incident, Source
from incidents.moves import MoveRefused
from incidents.states import State
from investigations.models import Investigation, Verdict
from investigations.outcomes import Ending
from tests.db.investigated import STARTED, Scripted, job, world
from tests.db.sources import an_alert, body_of, deliver, make_source, minutes
from toolbox.connectors.base import Outcome

pytestmark = pytest.mark.django_db


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


@pytest.fixture
def incident(tools: Scripted) -> Incident:
    source: Source = make_source()
    alert = an_alert(starts=STARTED, labels={"alertname": "JobFailed", "job_id": "job-7"})
    deliver(source, body_of(alert), STARTED)
    return Incident.objects.get()


def investigate() -> Ending:
    outcome = services.investigate(Investigation.objects.latest("pk").pk, now=STARTED)
    assert outcome is not None
    return outcome.ending


def test_a_run_brings_the_incident_to_review_with_its_verdict(incident: Incident) -> None:
    assert investigate() is Ending.JUDGED
    incident.refresh_from_db()
    assert (incident.state, incident.verdict_passed) == (State.REVIEW, True)
    assert incident.hypothesis == "job_finished_on_retry"
    kinds = [entry.kind for entry in reading.of_incident(incident.pk)]
    assert kinds[0] == "incident.opened"
    assert [kind for kind in kinds if kind.startswith("incident.")] == [
        "incident.opened",
        "incident.taken",
        "incident.judged",
    ]


def test_a_second_message_for_the_same_run_changes_nothing(incident: Incident) -> None:
    investigate()
    version = Incident.objects.get().version
    assert investigate() is Ending.NOT_CLAIMED
    assert Incident.objects.get().version == version
    assert Verdict.objects.count() == 1


def test_what_is_missing_is_asked_by_a_person_and_the_verdict_follows(
    incident: Incident, tools: Scripted, make_user: Callable[..., User]
) -> None:
    tools.answers["find_job"] = Outcome(Status.UNAVAILABLE, None, "the database is away")
    investigate()
    assert Incident.objects.get().verdict_passed is False
    tools.answers["find_job"] = job("completed")
    services.ask_missing(incident.pk, by=make_user("ada"), fact=None, now=STARTED)
    incident.refresh_from_db()
    assert (incident.state, incident.verdict_passed) == (State.REVIEW, True)
    last = [entry for entry in reading.of_incident(incident.pk) if entry.kind == "incident.judged"][-1]
    assert last.actor == "person:ada"


def test_where_nothing_is_missing_asking_is_refused_and_recorded(
    incident: Incident, make_user: Callable[..., User]
) -> None:
    investigate()
    with pytest.raises(MoveRefused):
        services.ask_missing(incident.pk, by=make_user(), fact=None, now=STARTED)
    assert [entry.kind for entry in reading.of_incident(incident.pk)][-1] == "move.refused"


def test_an_incident_closed_during_its_run_stays_closed(
    incident: Incident, tools: Scripted, make_user: Callable[..., User]
) -> None:
    by = make_user()

    def close(tool: str) -> None:
        current = Incident.objects.get()
        if current.state != State.CLOSED:
            services.close(
                current.pk, by=by, outcome="real and fixed", answer="", reason="",
                version=current.version, now=STARTED,
            )  # fmt: skip

    tools.before_answer = close
    assert investigate() is Ending.JUDGED
    incident.refresh_from_db()
    assert (incident.state, incident.verdict_passed) == (State.CLOSED, None)


def test_firing_again_while_the_run_goes_on_keeps_its_pass_away(incident: Incident) -> None:
    again = an_alert(starts=STARTED + minutes(5), labels={"alertname": "JobFailed", "job_id": "job-7"})
    deliver(incident.source, body_of(again), STARTED + minutes(5))
    assert investigate() is Ending.JUDGED
    incident.refresh_from_db()
    assert (incident.state, incident.verdict_passed) == (State.REVIEW, None)
    assert "fired again" in incident.verdict_reason


def test_something_else_under_the_same_key_while_the_run_goes_on_keeps_its_pass_away(
    incident: Incident,
) -> None:
    other = an_alert(starts=STARTED, labels={"alertname": "DatabaseDown", "job_id": "job-7"})
    deliver(incident.source, body_of(other), STARTED + minutes(1))
    assert Incident.objects.count() == 1
    assert investigate() is Ending.JUDGED
    incident.refresh_from_db()
    assert incident.verdict_passed is None
    assert "something else" in incident.verdict_reason


def test_an_alert_that_fired_again_is_asked_about_from_then_on(incident: Incident) -> None:
    again = an_alert(starts=STARTED + minutes(5), labels={"alertname": "JobFailed", "job_id": "job-7"})
    deliver(incident.source, body_of(again), STARTED + minutes(5))
    incident.refresh_from_db()
    assert incident.started_at == STARTED
    assert services.subject_of(incident).started_at == STARTED + minutes(5)
