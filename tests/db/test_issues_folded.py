"""GitHub's events fold into incidents of kind `issue`."""

from datetime import timedelta
from typing import Any

import pytest

from audit import reading
from audit.models import Entry
from incidents import intake, services
from incidents.models import Delivery, Incident, Signal, Source
from incidents.states import DeliveryState, State
from tests.db.issues import REPOSITORY, a_source, an_issue, deliver, event, headers
from tests.db.sources import NOW, only_incident

pytestmark = pytest.mark.django_db
AT = "2026-03-01T11:%s:00Z"


@pytest.fixture
def source() -> Source:
    return a_source()


def effects() -> list[str]:
    return list(Signal.objects.order_by("pk").values_list("effect", flat=True))


def moved(which: str, number: int, repository: str) -> dict[str, Any]:
    return {f"{which}_issue": an_issue(number), f"{which}_repository": {"full_name": repository}}


def test_what_is_not_about_an_issue_is_parked_and_opens_nothing(source: Source) -> None:
    for kind in ("issue_comment", "push"):
        parked = deliver(source, event(), kind=kind)
        assert (parked.state, parked.folded_at) == (DeliveryState.PARKED, NOW)
        assert "nothing is done with it" in parked.notes[0]
    pull = deliver(source, event(issue=an_issue(pull_request={})))
    ping = deliver(source, {"zen": "…", "repository": {"full_name": REPOSITORY}}, kind="ping")
    assert (pull.state, ping.state) == (DeliveryState.PARKED, DeliveryState.FOLDED)
    assert not Incident.objects.exists()


def test_what_comes_of_an_issue_that_nobody_opened_here_opens_nothing(source: Source) -> None:
    for action in ("edited", "labeled", "closed", "deleted", "transferred"):
        deliver(source, event(action, an_issue(closed_at=AT % 30)))
    assert not Incident.objects.exists()
    assert effects() == ["stale", "stale", "resolved-only", "resolved-only", "stale"]


def test_an_opened_issue_is_one_incident_whatever_is_done_to_it(source: Source) -> None:
    deliver(source, event())
    for action in ("edited", "labeled", "assigned"):
        deliver(source, event(action, an_issue(body="Other words.")))
    incident = only_incident()
    assert (incident.kind, incident.state, incident.sender_key) == ("issue", State.OPEN, "octo-org/shop#7")
    assert incident.annotations["body"] == "Open a parcel. The page stays white."
    assert effects() == ["opened", "repeated", "repeated", "repeated"]


def test_a_close_on_github_closes_nothing_here(source: Source) -> None:
    deliver(source, event())
    deliver(source, event("closed", an_issue(closed_at=AT % 30)))
    incident = only_incident()
    assert incident.state == State.OPEN
    assert incident.recovered_at is not None
    assert incident.recovered_at.minute == 30


def test_an_issue_opened_again_goes_on_or_opens_a_new_one_that_links_back(
    source: Source, make_user: Any
) -> None:
    deliver(source, event())
    deliver(source, event("closed", an_issue(closed_at=AT % 30)))
    deliver(source, event("reopened", an_issue(updated_at=AT % 40)))
    first = only_incident()
    assert (first.recovered_at, first.flap_count) == (None, 1)
    said: Any = {"outcome": "real and fixed", "answer": "Done.", "reason": ""}
    services.close(first.pk, by=make_user(), version=first.version, now=NOW, **said)
    later = NOW + timedelta(minutes=5)
    deliver(source, event("edited", an_issue(updated_at=AT % 50)), at=later)
    assert Incident.objects.count() == 1
    deliver(source, event("reopened", an_issue(updated_at="2026-03-01T12:02:00Z")), at=later)
    second = Incident.objects.exclude(pk=first.pk).get()
    assert (second.previous_id, second.state) == (first.pk, State.OPEN)


@pytest.mark.parametrize("left_first", [True, False])
def test_a_transferred_issue_stays_one_incident_in_whichever_order_it_is_told(
    source: Source, left_first: bool
) -> None:
    deliver(source, event())
    told = [
        event("transferred", changes=moved("new", 3, "octo-org/docs")),
        event(
            "opened", an_issue(3), changes=moved("old", 7, REPOSITORY),
            repository={"full_name": "octo-org/docs"},
        ),
    ]  # fmt: skip
    for whole in told if left_first else told[::-1]:
        deliver(source, whole)
    deliver(source, event("edited", an_issue(3), repository={"full_name": "octo-org/docs"}))
    incident = only_incident()
    assert (incident.sender_key, incident.signal_count) == ("octo-org/docs#3", 4)
    assert incident.identifiers == {"repository": "octo-org/docs", "issue_number": "3"}
    assert incident.annotations["transferred from"] == "octo-org/shop#7"
    kinds = [entry.kind for entry in reading.of_incident(incident.pk)]
    assert kinds.count("incident.transferred") == 1


def test_a_transfer_from_a_repository_of_another_source_opens_an_incident_that_says_so(
    source: Source,
) -> None:
    other = a_source("other")
    deliver(source, event())
    came = event(
        "opened", an_issue(3), changes=moved("old", 7, REPOSITORY), repository={"full_name": "other/docs"}
    )
    deliver(other, came)
    arrived = Incident.objects.get(source=other)
    assert arrived.annotations["transferred from"] == "octo-org/shop#7"
    assert Incident.objects.get(source=source).sender_key == "octo-org/shop#7"


def test_a_delivery_that_is_sent_again_is_stored_once_and_said_so(source: Source) -> None:
    body = b"{}"
    sent = headers(source, body, identity="72d3162e-cc78-11e3-81ab-4c9367dc0958")
    first, again = (intake.receive(source, body, sent, "192.0.2.7", NOW) for _ in range(2))
    other = a_source("other")
    intake.receive(other, body, headers(other, body, identity=first.sender_id), "", NOW)
    assert first.pk == again.pk
    assert Delivery.objects.count() == 2
    assert Entry.objects.filter(kind="delivery.repeated").count() == 1
