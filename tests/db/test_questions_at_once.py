"""A hundred questions at once, by one person and by many: each person has one open, and none breaks."""

from collections.abc import Callable
from functools import partial

from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from incidents import services, thread
from incidents.models import Incident
from investigations.models import Question
from investigations.questions import QuestionRefused
from investigations.states import Asking
from tests.db.investigated import together
from tests.db.sources import an_alert, body_of, deliver, make_source

THREADS, EACH = 10, 10


def ask_often(incident: Incident, people: list[User]) -> list[str]:
    """Ask once for each of them; return what was refused."""
    refusals = []
    for person in people:
        try:
            thread.ask(incident, f"Since when, {person}?", by=person, now=timezone.now())
        except QuestionRefused as refusal:
            refusals.append(str(refusal))
    return refusals


def test_a_hundred_questions_at_once_are_one_for_each_person(
    committed_db: None, make_user: Callable[..., User]
) -> None:
    deliver(make_source(), body_of(an_alert()))
    incident = Incident.objects.select_related("source").get()
    people = [make_user(f"person-{number}", role=Role.SUPPORT) for number in range(EACH)]
    found = together(*(partial(ask_often, incident, people) for _ in range(THREADS)))
    refusals = [words for each in found for words in each]
    assert len(refusals) == THREADS * EACH - EACH
    assert set(refusals) == {"Your last question is still being answered. Wait for it, or stop it."}
    assert Question.objects.filter(state=Asking.QUEUED).count() == EACH


def test_a_question_about_a_closed_incident_is_asked_and_changes_nothing_of_it(
    committed_db: None, make_user: Callable[..., User]
) -> None:
    deliver(make_source(), body_of(an_alert()))
    incident, ada = Incident.objects.select_related("source").get(), make_user("ada", role=Role.SUPPORT)
    services.close(
        incident.pk, by=ada, outcome="harmless", answer="", reason="x", version=incident.version,
        now=timezone.now(),
    )  # fmt: skip
    incident.refresh_from_db()
    before = (incident.state, incident.version)
    thread.ask(incident, "Was it the bank?", by=ada, now=timezone.now())
    incident.refresh_from_db()
    assert (incident.state, incident.version) == before
    assert Question.objects.get().state == Asking.QUEUED
