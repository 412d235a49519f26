"""Sources and deliveries for tests."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from incidents import folding, intake
from incidents.intake import secret_digest
from incidents.models import Delivery, Incident, Source

SECRET = "a secret of a test source"
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def make_source(slug: str = "prometheus", *, adapter: str = "alertmanager", **values: Any) -> Source:
    """Make an active source whose secret is SECRET."""
    values = {
        "title": slug,
        "secret_digest": secret_digest(SECRET),
        "created_at": NOW - timedelta(days=1),
        **values,
    }
    return Source.objects.create(slug=slug, adapter=adapter, **values)


def an_alert(name: str = "a", *, status: str = "firing", starts: datetime | None = NOW, **values: Any) -> Any:
    """One alert as Alertmanager sends it; its fingerprint is made of the name."""
    alert: dict[str, Any] = {
        "status": status,
        "fingerprint": f"fp-{name}",
        "labels": {"alertname": "JobFailed", "instance": name},
        "annotations": {"summary": f"Job {name} failed"},
    }
    if starts is not None:
        alert["startsAt"] = starts.isoformat()
    alert["endsAt"] = "0001-01-01T00:00:00Z"
    return {**alert, **values}


def a_resolve(name: str = "a", *, starts: datetime | None = NOW, ends: datetime | None = None) -> Any:
    """The same alert, over."""
    values = {"endsAt": ends.isoformat()} if ends else {}
    return an_alert(name, status="resolved", starts=starts, **values)


def body_of(*alerts: Any, **envelope: Any) -> bytes:
    """A webhook's body."""
    return json.dumps({"version": "4", "status": "firing", "alerts": list(alerts), **envelope}).encode()


def deliver(source: Source, body: bytes, at: datetime = NOW) -> Delivery:
    """Take a delivery in and fold it, as the worker would."""
    delivery = intake.receive(source, body, {"Content-Type": "application/json"}, "192.0.2.1", at)
    folding.fold(delivery.pk, at)
    delivery.refresh_from_db()
    return delivery


def only_incident() -> Incident:
    """The one incident that there is."""
    return Incident.objects.get()


def minutes(count: float) -> timedelta:
    """So many minutes."""
    return timedelta(minutes=count)
