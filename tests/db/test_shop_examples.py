"""Each example delivery, from its bytes to its verdict, through the real intake, tools and rules."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from examples.shop import deliveries
from examples.shop.expectations import compare, expected
from incidents import folding, intake, services, sweeping
from incidents.models import Delivery, Incident, Source
from incidents.states import DeliveryState
from investigations.models import Draft, Investigation, Verdict
from tests.db import shop

SOURCES = json.loads((shop.SHOP / "sources.json").read_text(encoding="utf-8"))


@pytest.fixture
def judged(
    committed_db: None,
    postgres_server: Any,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    tmp_path: Path,
) -> Iterator[list[dict[str, Any]]]:
    """Post every example, let the heartbeat fall silent, judge all; return the rows of the demo's table."""
    admin_dsn = postgres_server.dsn("postgres")
    now = timezone.now().replace(microsecond=0)  # of this test: its evidence would age with the whole run
    shop.load(admin_dsn, tmp_path, now=now)
    with shop.asked(monkeypatch, settings, admin_dsn, tmp_path):
        _post(now)
        # However often the schedule looks, one silence is one incident.
        for seconds in (10, 20, 30):
            sweeping.report_silences(timezone.now() + timedelta(seconds=seconds))
        _fold()
        for run in Investigation.objects.order_by("pk"):
            services.investigate(run.pk, now=timezone.now())
        yield [_row(incident) for incident in Incident.objects.order_by("pk")]


def test_every_example_ends_as_expected(judged: list[dict[str, Any]]) -> None:
    assert compare(expected(), judged) == []
    assert sum(row["passed"] for row in judged) >= 5
    mail = Incident.objects.get(labels__queue="mail")
    assert mail.recovered_at is not None
    assert Incident.objects.get(labels__alertname="ReplicaLagHigh").not_shown_count == 7
    drafts = [
        Draft.objects.filter(investigation__incident_id=each.pk).last() for each in Incident.objects.all()
    ]
    assert all(draft is not None and "Traceback" not in draft.text for draft in drafts)


def _post(now: datetime) -> None:
    for one in SOURCES:
        Source.objects.create(
            slug=one["slug"],
            title=one["title"],
            adapter=one["adapter"],
            secret_digest=intake.secret_digest(one["slug"]),
            every_seconds=one.get("every"),
            grace_seconds=one.get("grace", 30),
            created_at=timezone.now(),
        )
    for one in deliveries.render(now):
        source = Source.objects.get(slug=one.source)
        intake.receive(source, one.body, {"content-type": one.content_type}, "test", timezone.now())


def _fold() -> None:
    for delivery in Delivery.objects.filter(state=DeliveryState.RECEIVED).order_by("pk"):
        assert folding.fold(delivery.pk, timezone.now())


def _row(incident: Incident) -> dict[str, Any]:
    verdict = Verdict.objects.filter(investigation__incident_id=incident.pk).last()
    assert verdict is not None, f"{incident} was not judged"
    return {
        "source": incident.source.slug,
        "sender_key": incident.sender_key,
        "title": incident.title,
        "hypothesis": verdict.hypothesis,
        "passed": verdict.passed,
        "deciding": json.loads(verdict.body)["deciding"],
        "reason": verdict.reason,
    }
