"""The door for senders."""

import base64
import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from incidents.intake import secret_digest
from incidents.models import Delivery, Source
from tests.db.sources import NOW, SECRET, an_alert, body_of, make_source

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Source:
    return make_source()


def post(client: Client, body: bytes, *, slug: str = "prometheus", **headers: str) -> Any:
    headers = {"Authorization": f"Bearer {SECRET}", **headers}
    return client.post(f"/hooks/{slug}/", body, content_type="application/json", headers=headers)


def basic(password: str, name: str = "anybody") -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


@pytest.mark.parametrize("slug", ["unknown", "schedule", "a%00b", "PROMETHEUS", "%F0%9F%92%A5"])
def test_an_unknown_source_is_404(client: Client, source: Source, slug: str) -> None:
    make_source("schedule", adapter="schedule")
    assert post(client, b"{}", slug=slug).status_code == 404
    assert not Delivery.objects.exists()


def test_an_inactive_source_is_404(client: Client) -> None:
    make_source(is_active=False)
    assert post(client, b"{}").status_code == 404


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer wrong",
        f"Bearer {SECRET}x",
        f"Token {SECRET}",
        SECRET,
        "Basic",
        "Basic !!!",
        "Basic " + base64.b64encode(b"\xff\xfe").decode(),
        basic("wrong"),
        basic("", SECRET),
        f"Bearer {secret_digest(SECRET)}",
    ],
)
def test_a_missing_or_wrong_secret_is_401_and_stores_nothing(
    client: Client, source: Source, authorization: str
) -> None:
    answer = post(client, b"{}", Authorization=authorization)
    assert answer.status_code == 401
    assert "Bearer" in answer["WWW-Authenticate"]
    assert not Delivery.objects.exists()


def test_a_source_without_a_secret_lets_nobody_in(client: Client) -> None:
    make_source(secret_digest="")
    for authorization in ("", "Bearer ", basic("")):
        assert post(client, b"{}", Authorization=authorization).status_code == 401


@pytest.mark.parametrize("method", ["get", "put", "patch", "delete", "head", "options"])
def test_another_method_is_405(client: Client, source: Source, method: str) -> None:
    answer = getattr(client, method)("/hooks/prometheus/", headers={"Authorization": f"Bearer {SECRET}"})
    assert answer.status_code == 405
    assert answer["Allow"] == "POST"


def test_a_body_over_the_limit_is_413_counted_with_its_size_and_sender(
    client: Client, source: Source, settings: Any
) -> None:
    settings.DELIVERY_MAX_BYTES = 2_000
    for size in (2_001, 5_000):
        assert post(client, b"x" * size).status_code == 413
    source.refresh_from_db()
    assert (source.oversized_count, source.oversized_last_bytes) == (2, 5_000)
    assert source.oversized_last_sender == "127.0.0.1"
    assert not Delivery.objects.exists()
    assert post(client, b"x" * 2_000).status_code == 202


def test_a_body_over_the_limit_without_the_secret_is_not_counted(
    client: Client, source: Source, settings: Any
) -> None:
    settings.DELIVERY_MAX_BYTES = 2_000
    assert post(client, b"x" * 3_000, Authorization="Bearer wrong").status_code == 401
    source.refresh_from_db()
    assert source.oversized_count == 0


@pytest.mark.parametrize(
    "body", [b"", b"\x00", b"\xff\xfe\x00", b"nonsense", b"[NaN]", b"{}", b'{"a":1,"a":2}', b"[" * 50_000]
)
def test_whatever_is_authenticated_is_stored_as_it_came_and_answered_202(
    client: Client, source: Source, body: bytes
) -> None:
    answer = post(client, body)
    assert answer.status_code == 202
    delivery = Delivery.objects.get(pk=answer.json()["delivery"])
    assert bytes(delivery.body) == body
    assert delivery.state == "received"


def test_both_ways_to_give_the_secret_and_both_secrets_of_a_change_are_taken(
    client: Client, source: Source
) -> None:
    Source.objects.update(next_secret_digest=secret_digest("the next one"))
    for authorization in (f"bearer {SECRET}", basic(SECRET), "Bearer the next one", basic("the next one")):
        assert post(client, body_of(an_alert()), Authorization=authorization).status_code == 202
    assert Delivery.objects.count() == 4


def test_the_address_works_without_its_last_slash(client: Client, source: Source) -> None:
    answer = client.post(
        "/hooks/prometheus", b"{}", content_type="text/plain", headers={"Authorization": f"Bearer {SECRET}"}
    )
    assert answer.status_code == 202


def test_a_secret_is_not_kept_among_the_headers(client: Client, source: Source) -> None:
    post(client, b"{}", Cookie="session=1", **{"User-Agent": "Alertmanager/0.27", "X-Secret": "s"})
    headers = Delivery.objects.get().headers
    assert headers["user-agent"] == "Alertmanager/0.27"
    assert SECRET not in json.dumps(headers)
    assert not {"authorization", "cookie", "x-secret"} & set(headers)


def test_cross_site_protection_does_not_stand_before_senders(source: Source) -> None:
    assert post(Client(enforce_csrf_checks=True), b"{}").status_code == 202


def test_our_own_fault_is_503_with_a_time_to_try_again(client: Client, source: Source) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL default_transaction_read_only = on")
        cursor.execute("SET TRANSACTION READ ONLY")
    answer = post(client, b"{}")
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0


def test_a_beat_is_folded_at_once_and_moves_the_time_it_was_last_seen(client: Client) -> None:
    source = make_source("nightly", adapter="heartbeat", every_seconds=60)
    before = timezone.now()
    assert post(client, b"", slug="nightly").status_code == 202
    source.refresh_from_db()
    assert source.last_seen_at is not None
    assert before <= source.last_seen_at <= timezone.now()
    assert Delivery.objects.get().state == "folded"


def test_a_delivery_is_due_to_the_sweeper_soon_after_it_came(client: Client, source: Source) -> None:
    post(client, b"{}")
    delivery = Delivery.objects.get()
    assert delivery.next_try_at is not None
    assert timedelta() < delivery.next_try_at - delivery.received_at < timedelta(minutes=1)
    assert delivery.received_at > NOW
