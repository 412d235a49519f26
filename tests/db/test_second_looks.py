"""What a person does about a verdict: refusals first, and all of it judged by code again."""

import json
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from assay_core.results import Status
from audit import reading
from incidents import identifiers, second_looks, services
from incidents.models import Identifier, Incident
from incidents.moves import MoveRefused
from incidents.second_looks import Named
from incidents.subjects import subject_of
from investigations.models import Case, Investigation, Verdict
from investigations.refuting import Word
from tests.db.investigated import Scripted, world
from tests.db.sources import make_source
from tests.web.pages import MakeUser, judged
from toolbox.connectors.base import Outcome

pytestmark = pytest.mark.django_db


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


@pytest.fixture
def passed(connector: Scripted) -> Incident:
    incident = judged()
    assert incident.verdict_passed
    return incident


@pytest.fixture
def ada(make_user: MakeUser) -> User:
    return make_user("ada")


def answers(incident: Incident) -> list[int]:
    entries = json.loads(Case.objects.filter(investigation__incident_id=incident.pk).latest("pk").body)
    return [number for number, _ in entries["case"]["entries"]]


def refute(incident: Incident, by: User, entry: int, because: str = "I saw it fail", **more: Any) -> None:
    second_looks.refute(incident.pk, Word(entry, because, **more), by=by, now=timezone.now())
    incident.refresh_from_db()


def again(incident: Incident, by: User) -> Verdict:
    incident.refresh_from_db()
    now = timezone.now()
    second_looks.investigate_again(incident.pk, by=by, version=incident.version, now=now)
    services.investigate(Investigation.objects.latest("pk").pk, now=now)
    incident.refresh_from_db()
    return Verdict.objects.latest("pk")


@pytest.mark.parametrize(
    ("because", "words"), [("", "Say why"), ("x" * 501, "Say why"), ("a\0b", "cannot be stored")]
)
def test_a_word_without_a_reason_that_can_be_kept_is_refused(
    passed: Incident, ada: User, because: str, words: str
) -> None:
    with pytest.raises(MoveRefused, match=words):
        refute(passed, ada, answers(passed)[0], because)
    assert Verdict.objects.count() == 1


def test_an_entry_that_is_no_answer_of_the_run_is_refused_and_recorded(passed: Incident, ada: User) -> None:
    with pytest.raises(MoveRefused, match="no answer of this run"):
        refute(passed, ada, 1)
    assert reading.of_incident(passed.pk)[-1].kind == "move.refused"


def test_a_word_lowers_the_verdict_at_once_and_is_said_once(passed: Incident, ada: User) -> None:
    entry = answers(passed)[0]
    refute(passed, ada, entry)
    assert (passed.verdict_passed, Verdict.objects.count()) == (False, 2)
    assert f"pointed at entry {entry}" in passed.verdict_reason
    with pytest.raises(MoveRefused, match="already"):
        refute(passed, ada, entry)
    kinds = [each.kind for each in reading.of_incident(passed.pk)]
    assert "incident.refuted" in kinds


def test_it_stands_through_another_investigation(passed: Incident, ada: User) -> None:
    refute(passed, ada, answers(passed)[0])
    assert not again(passed, ada).passed


def test_it_ends_by_a_judgement_of_its_own(passed: Incident, ada: User) -> None:
    entry = answers(passed)[0]
    with pytest.raises(MoveRefused, match="stands"):
        refute(passed, ada, entry, withdraws=True)
    refute(passed, ada, entry)
    refute(passed, ada, entry, "I looked at the wrong job", withdraws=True)
    assert (passed.verdict_passed, Verdict.objects.count()) == (True, 3)
    assert "incident.refutation_withdrawn" in [each.kind for each in reading.of_incident(passed.pk)]


def test_asking_again_does_not_lose_it(passed: Incident, ada: User, connector: Scripted) -> None:
    connector.answers["count_errors"] = Outcome(Status.UNAVAILABLE, None, "away")
    other = judged(make_source("second"), "job-8")
    refute(other, ada, answers(other)[0])
    connector.answers["count_errors"] = Outcome(Status.OBSERVED, {"match_count": 0})
    services.ask_missing(other.pk, by=ada, fact=None, now=timezone.now())
    other.refresh_from_db()
    assert not other.verdict_passed


def test_a_closed_incident_takes_none_of_it(passed: Incident, ada: User) -> None:
    Incident.objects.filter(pk=passed.pk).update(state="closed", closed_at=timezone.now())
    with pytest.raises(MoveRefused):
        refute(passed, ada, answers(passed)[0])
    with pytest.raises(MoveRefused):
        second_looks.identify(passed.pk, Named("job_id", "x"), by=ada, now=timezone.now())
    with pytest.raises(MoveRefused):
        second_looks.investigate_again(passed.pk, by=ada, version=passed.version, now=timezone.now())
    assert (Verdict.objects.count(), Identifier.objects.count(), Investigation.objects.count()) == (1, 0, 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [("", "1"), ("Job", "1"), ("job-id", "1"), ("a" * 61, "1"), ("job_id", ""), ("job_id", "x" * 201),
     ("job_id", "a\u202eb"), ("job_id", "a\nb"), ("job_id", "\0"), ("job_id", "job-7")],
)  # fmt: skip
def test_an_identifier_that_cannot_be_one_is_refused(
    passed: Incident, ada: User, name: str, value: str
) -> None:
    with pytest.raises(MoveRefused):
        second_looks.identify(passed.pk, Named(name, value), by=ada, now=timezone.now())
    assert not Identifier.objects.exists()


def test_what_a_person_gives_is_asked_about_next_time(
    passed: Incident, ada: User, connector: Scripted
) -> None:
    second_looks.identify(passed.pk, Named("job_id", "job-9"), by=ada, now=timezone.now())
    connector.asked.clear()
    again(passed, ada)
    assert ("find_job", {"job_id": "job-9"}) in connector.asked
    queued = [each for each in reading.of_incident(passed.pk) if each.kind == "investigation.queued"]
    assert (queued[-1].payload or {})["identifiers"] == {"job_id": "person"}


def test_what_only_a_model_named_earns_nothing_until_confirmed(passed: Incident, ada: User) -> None:
    now = timezone.now()
    row = identifiers.name_by_model(passed, "order_id", "SO-1", by="model:x", now=now)
    assert "order_id" not in subject_of(passed).identifiers
    assert [line.counts for line in identifiers.lines(passed) if line.name == "order_id"] == [False]
    with pytest.raises(MoveRefused, match="no such"):
        second_looks.identify(passed.pk, Named(confirms=row.pk + 1), by=ada, now=now)
    second_looks.identify(passed.pk, Named(confirms=row.pk), by=ada, now=now)
    assert subject_of(passed)["order_id"] == "SO-1"
    with pytest.raises(MoveRefused, match="no such"):
        second_looks.identify(passed.pk, Named(confirms=row.pk), by=ada, now=now)


def test_a_pattern_finds_what_the_sender_has_no_field_for(connector: Scripted) -> None:
    source = make_source(patterns={"report_id": r"report (RP-\d{4})", "job_id": r"job-\d", "bad": "(a+)+"})
    incident = judged(source, description="see report RP-0042")
    assert subject_of(incident)["report_id"] == "RP-0042"
    assert [(row.name, row.origin) for row in Identifier.objects.all()] == [("report_id", "pattern")]
    assert "identifier.found" in [each.kind for each in reading.of_incident(incident.pk)]


def test_a_persons_word_goes_before_a_pattern(connector: Scripted, ada: User) -> None:
    incident = judged(make_source(patterns={"report_id": r"RP-\d+"}), description="see RP-1")
    second_looks.identify(incident.pk, Named("report_id", "RP-2"), by=ada, now=timezone.now())
    assert subject_of(incident)["report_id"] == "RP-2"


def test_looking_again_from_an_old_page_is_refused(passed: Incident, ada: User) -> None:
    with pytest.raises(MoveRefused, match="changed"):
        second_looks.investigate_again(passed.pk, by=ada, version=passed.version - 1, now=timezone.now())
    assert Investigation.objects.count() == 1
