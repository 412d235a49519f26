"""What is down stands on every page, in words; while everything works nothing does."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.core.cache.backends.redis import RedisCache
from django.utils import timezone

from accounts.roles import Role
from incidents.models import Delivery
from investigations.models import EndpointUse, Investigation
from tests.conftest import free_port
from tests.db.sources import make_source
from tests.web.pages import MakeUser, a_person, signed_in, text_of
from toolbox.proofrows import ConnectorProof
from triage import outages

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _forgotten(redis_url: str) -> None:
    cache.delete_many([outages.HEARTBEAT_KEY, outages.OUTAGES_KEY, outages.EXCEPTIONS_KEY])


def test_while_everything_works_nothing_is_said() -> None:
    outages.note(timezone.now())
    assert outages.standing(timezone.now()) == []


def test_what_waits_too_long_and_what_is_not_asked_is_said_on_a_page(make_user: MakeUser) -> None:
    now = timezone.now()
    Delivery.objects.create(source=make_source(), body=b"{}", received_at=now - timedelta(minutes=7))
    Investigation.objects.create(
        incident_id=1, subject="{}", created_at=now, queued_at=now - timedelta(hours=2), state="queued"
    )
    ConnectorProof.objects.create(connector="shop", standing="refused", proven_at=now, since=now)
    outages.note(now)
    page = text_of(a_person(make_user).get("/rules/"))
    assert "Deliveries wait to be read for 7 min" in page
    assert "Investigations wait for 2 h 0 min" in page
    assert "Nothing is asked of shop" in page


def test_a_round_that_is_long_past_is_said_first() -> None:
    now = timezone.now()
    outages.note(now - timedelta(minutes=12))
    assert outages.standing(now)[0].endswith("its last round was 12 min ago.")


def test_a_broker_that_is_away_is_said_and_breaks_no_page(
    make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = a_person(make_user)
    away = RedisCache(f"redis://127.0.0.1:{free_port()}", {})
    monkeypatch.setattr(outages, "cache", away)
    response = ada.get("/")
    assert response.status_code == 200
    assert "The broker does not answer" in text_of(response)


def test_a_model_that_serves_without_a_drill_is_said_to_administrators_for_as_long_as_it_does(
    make_user: MakeUser,
) -> None:
    now = timezone.now()
    EndpointUse.objects.create(
        purpose="critic", base_url="http://127.0.0.1:1/v1", model="sudden-9", endpoint="candidate",
        how="override", because="The provider is down.", began_by="root", began_at=now,
        until=now + timedelta(hours=4),
    )  # fmt: skip
    outages.note(now)
    root, ada = signed_in(make_user("root", role=Role.ADMINISTRATOR)), a_person(make_user)
    said = "sudden-9 serves critic WITHOUT A DRILL until"
    assert said in text_of(root.get("/rules/"))
    assert "The provider is down." in text_of(root.get("/rules/"))
    assert said not in text_of(ada.get("/rules/"))
    assert "without a drill" in text_of(root.get("/endpoints/"))
    outages.note(now + timedelta(hours=5))
    assert said not in text_of(root.get("/rules/"))
