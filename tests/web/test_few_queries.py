"""The five things that people do all day ask the database few questions, however much there is to show."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from audit import writing
from incidents.models import DraftEdit, Identifier, Incident, Note, Signal
from incidents.states import Effect, Event, Origin, State
from investigations.models import (
    Citation,
    Exchange,
    Figure,
    Investigation,
    Objection,
    Question,
    RubricEvaluation,
    RunNote,
    Step,
    Submitted,
)
from tests.db.investigated import Scripted, world
from tests.db.sources import make_source
from tests.web.pages import MakeUser, a_person, judged, text_of
from tests.web.test_incident import closing
from tests.web.test_queue import incident

pytestmark = pytest.mark.django_db
MOST = 15


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


@pytest.fixture
def client(make_user: MakeUser) -> Client:
    client = a_person(make_user, username="ada")
    client.get("/")  # the session notes when it was last seen, about once a minute
    return client


def filled(client: Client) -> Incident:
    """Return a closed incident with something in every part of its page."""
    now = timezone.now()
    full = judged()
    run = Investigation.objects.get()
    draft = run.drafts.get()
    before, after = incident(full.source, 1, state=State.CLOSED), incident(full.source, 2)
    Incident.objects.filter(pk=full.pk).update(previous=before)
    Incident.objects.filter(pk=after.pk).update(previous=full)
    Investigation.objects.update(investigator="model", outcome="repaired", critic_note="It has a hole.")
    type(draft).objects.update(rubric_result="satisfied")
    ada = User.objects.get(username="ada")
    for n in range(3):
        Citation.objects.create(draft=draft, kind="order", text=f"o{n}", value=f"o{n}", state="missing")
        Figure.objects.create(draft=draft, text=f"{n} EUR")
        Objection.objects.create(
            investigation=run, attempt=1, about="draft", entry=1, says=f"hole {n}", created_at=now
        )
        RubricEvaluation.objects.create(
            investigation=run, attempt=1, iteration=n, result="satisfied", rubric_digest="0" * 64, draft="",
            criteria=[{"id": "a", "text": "Says since when", "passed": True, "gap": ""}],
            draft_digest="0" * 64, created_at=now,
        )  # fmt: skip
        Step.objects.create(
            investigation=run, number=n + 1, attempt=1, kind="reply", body="{}", entry=n, created_at=now
        )
        Exchange.objects.create(
            investigation=run, incident_id=full.pk, purpose="investigator", endpoint="main", model="m",
            step=n, outcome="replied", tokens_in=10, created_at=now,
        )  # fmt: skip
        RunNote.objects.create(investigation=run, text=f"told {n}", made_by="person:ada", made_at=now)
        Note.objects.create(incident=full, by=ada, text=f"noted {n}", once=f"{n}", created_at=now)
        Question.objects.create(
            incident_id=full.pk, asked_by=f"person:p{n}", text=f"asked {n}", subject="{}",
            state="answered", created_at=now,
        )  # fmt: skip
        Identifier.objects.create(
            incident=full, name=f"order_{n}", value=f"O-{n}", origin=Origin.PERSON, named_by="person:ada",
            named_at=now,
        )  # fmt: skip
        writing.write("note.written", {"words": f"noted {n}"}, actor="person:ada", incident=full.pk)
    Submitted.objects.create(
        investigation=run, body='{"proposed_hypothesis":"a_new_one"}', digest="0" * 64,
        contract_digest="0" * 64, author="model", created_at=now,
    )  # fmt: skip
    first = Signal.objects.filter(incident=full).order_by("pk")[0]
    Signal.objects.bulk_create(
        Signal(
            delivery=first.delivery, incident=full, position=n, event=Event.FIRING, sender_key="k",
            title=f"again {n}", received_at=now, effect=Effect.REFIRED,
        )
        for n in range(10, 70)
    )  # fmt: skip
    DraftEdit.objects.create(
        incident=full, number=1, draft_id=draft.pk, text="As ada has it.", by=ada, created_at=now
    )
    full.refresh_from_db()
    client.post(f"/incidents/{full.pk}/close/", closing(full, answer="As ada has it."))
    return full


def test_an_incident_of_which_there_is_everything(
    connector: Scripted, client: Client, django_assert_max_num_queries: Any
) -> None:
    full = filled(client)
    with django_assert_max_num_queries(MOST):
        page = text_of(client.get(f"/incidents/{full.pk}/"))
    told = (
        "noted 2",
        "asked 2",
        "O-2",
        "hole 2",
        "told 2",
        "2 EUR",
        "As ada has it.",
        "a_new_one",
        "11 older",
    )
    assert [each for each in told if each not in page] == []


@pytest.mark.parametrize(
    "address",
    [
        "/", "/?tab=mine", "/?tab=all", "/?severity=high&source=shop&kind=alert&sort=severity",
        "/?tab=all&q=Incident", "/?q=%231&mine=1", "/?tab=closed&sort=oldest", "/?severity=other",
    ],
)  # fmt: skip
def test_the_queue_under_any_filter_or_search(
    client: Client, django_assert_max_num_queries: Any, address: str
) -> None:
    source = make_source("shop")
    for number in range(55):
        incident(source, number, severity="high")
    client.post("/queue/views/", {"name": "Refunds", "here": "?q=refund"})
    with django_assert_max_num_queries(MOST):
        assert client.get(address).status_code == 200


def test_a_change_of_status(client: Client, django_assert_max_num_queries: Any) -> None:
    row = incident(make_source())
    with django_assert_max_num_queries(MOST):
        asked = {"do": f"grade:{row.pk}.{row.version}", "severity": "high", "here": ""}
        assert client.post("/queue/act/", asked).status_code in (200, 302)
    assert Incident.objects.get().severity == "high"
