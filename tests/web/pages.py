"""What the page tests share: judged incidents, and the kinds of person who look at them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from asgiref.sync import async_to_sync
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from incidents import services
from incidents.models import Incident, Source
from investigations.models import Investigation
from tests.db.sources import an_alert, body_of, deliver, make_source

HTMX = {"HX-Request": "true"}
MakeUser = Callable[..., User]


def judged(source: Source | None = None, name: str = "job-7", **annotations: str) -> Incident:
    """Let an alert about a job come in, be folded, investigated and judged, as the workers do it."""
    source = source or make_source()
    now = timezone.now()
    alert = an_alert(
        name,
        starts=now - timedelta(hours=1),
        labels={"alertname": "JobFailed", "job_id": name, "severity": "warning"},
        annotations={"summary": f"Job {name} failed", **annotations},
    )
    deliver(source, body_of(alert), now)
    incident = Incident.objects.filter(source=source).latest("pk")
    investigation = Investigation.objects.get(incident_id=incident.pk)
    services.investigate(investigation.pk, now=timezone.now())
    incident.refresh_from_db()
    return incident


def signed_in(user: User) -> Client:
    """Return a browser in which this person is signed in."""
    client = Client()
    client.force_login(user)
    return client


def a_person(make_user: MakeUser, username: str = "ada", role: Role = Role.SUPPORT, **values: Any) -> Client:
    """Return a browser of a new person with this role."""
    return signed_in(make_user(username, role=role, **values))


def text_of(response: Any) -> str:
    """Return a page's text, or that of a sheet which comes in pieces."""
    return "".join(pieces_of(response)) if response.streaming else str(response.content.decode())


def pieces_of(response: Any) -> list[str]:
    """Return what a streamed answer sends, piece by piece."""

    async def gathered() -> list[str]:
        return [piece.decode() async for piece in response.streaming_content]

    found: list[str] = async_to_sync(gathered)()
    return found
