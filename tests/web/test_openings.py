"""A draft that was closed and never opened is counted for managers."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.roles import Role
from incidents.models import Incident, Opening, PassAudit, QueueAct, Source
from incidents.states import State
from tests.db.sources import make_source
from tests.web.pages import MakeUser, a_person, signed_in, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Source:
    return make_source()


def review(source: Source, key: str) -> Incident:
    at = timezone.now()
    return Incident.objects.create(
        source=source, sender_key=key, kind="alert", title=key, state=State.REVIEW, verdict_passed=False,
        started_at=at, episode_at=at, first_received_at=at, last_received_at=at,
    )  # fmt: skip


def close(client: Client, *rows: Incident) -> None:
    chosen = [f"{row.pk}.{row.version}" for row in rows]
    form = {"do": "close", "outcome": "harmless", "note": "Seen.", "rows": chosen}
    assert f"Closed {len(rows)}." in text_of(client.post("/queue/act/", form, follow=True))


def never_opened(client: Client) -> str:
    page = text_of(client.get("/figures/"))
    found = re.search(r"Drafts that nobody ever opened.*?<td[^>]*>(.*?)</td>", page, re.DOTALL)
    assert found
    return found.group(1)


def test_what_is_closed_unopened_is_counted_and_what_was_opened_or_taken_back_is_not(
    source: Source, make_user: MakeUser
) -> None:
    ada, boss = a_person(make_user), a_person(make_user, "mia", Role.MANAGER)
    auditor = a_person(make_user, "otto", Role.AUDITOR)
    opened, unopened, only_audited = (review(source, key) for key in "abc")
    ada.get(f"/incidents/{opened.pk}/")
    ada.get(f"/incidents/{opened.pk}/")
    auditor.get(f"/incidents/{only_audited.pk}/")
    assert Opening.objects.count() == 1
    assert never_opened(boss) == "0"
    close(ada, opened, unopened, only_audited)
    assert never_opened(boss) == "2"
    ada.get(f"/incidents/{unopened.pk}/")
    assert never_opened(boss) == "2"
    ada.post(f"/queue/undo/{QueueAct.objects.get().pk}/", {})
    assert never_opened(boss) == "0"


def test_who_audits_it_sees_no_draft_and_has_opened_none(source: Source, make_user: MakeUser) -> None:
    bea, one, now = make_user("bea", role=Role.SUPPORT), review(source, "a"), timezone.now()
    audit = PassAudit.objects.create(
        incident=one, verdict_id=1, rule="r", rule_version=1, why="trial", reviewer=bea, drawn_at=now,
        due_at=now + timedelta(days=1),
    )  # fmt: skip
    signed_in(bea).get(f"/incidents/{one.pk}/")
    assert not Opening.objects.exists()
    audit.delete()
    signed_in(bea).get(f"/incidents/{one.pk}/")
    assert Opening.objects.exists()


def test_one_opening_costs_one_row_once(source: Source, make_user: MakeUser) -> None:
    ada, one, now = a_person(make_user), review(source, "a"), timezone.now()
    ada.get(f"/incidents/{one.pk}/")
    at = Opening.objects.get().at
    assert at >= now
    a_person(make_user, "ben").get(f"/incidents/{one.pk}/")
    assert Opening.objects.get().at == at
