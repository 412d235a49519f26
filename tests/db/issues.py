"""GitHub's deliveries for tests: as the public documentation has them, signed as GitHub signs."""

import json
from datetime import datetime
from typing import Any
from uuid import uuid4

from incidents import folding, intake, signing
from incidents.models import Delivery, Source
from tests.db.sources import NOW, make_source

REPOSITORY = "octo-org/shop"


def a_source(slug: str = "github", **values: Any) -> Source:
    """Make a source that GitHub posts to."""
    return make_source(slug, adapter="github", **values)


def an_issue(number: int = 7, **values: Any) -> dict[str, Any]:
    """One issue as GitHub sends it."""
    return {
        "id": 1_000_000 + number, "number": number, "title": "The parcel page is empty", "state": "open",
        "html_url": f"https://github.com/{REPOSITORY}/issues/{number}",
        "user": {"login": "octocat", "id": 1, "type": "User"},
        "labels": [], "body": "Open a parcel. The page stays white.",
        "created_at": "2026-03-01T11:00:00Z", "updated_at": "2026-03-01T11:00:00Z", "closed_at": None,
        **values,
    }  # fmt: skip


def event(action: str = "opened", issue: Any = None, **more: Any) -> dict[str, Any]:
    """One `issues` event."""
    return {
        "action": action,
        "issue": an_issue() if issue is None else issue,
        "repository": {"id": 5, "full_name": REPOSITORY},
        "sender": {"login": "octocat"},
        **more,
    }


def headers(source: Source, body: bytes, kind: str = "issues", identity: str = "") -> dict[str, str]:
    """What GitHub sends beside a body."""
    return {
        "X-GitHub-Event": kind,
        "X-GitHub-Delivery": identity or str(uuid4()),
        "X-Hub-Signature-256": signing.signature(signing.secret_of(source.secret_digest), body),
        "User-Agent": "GitHub-Hookshot/1",
    }


def deliver(source: Source, whole: Any, *, kind: str = "issues", at: datetime = NOW) -> Delivery:
    """Take an event in and fold it, as web and worker would."""
    body = whole if isinstance(whole, bytes) else json.dumps(whole).encode()
    delivery = intake.receive(source, body, headers(source, body, kind), "192.0.2.7", at)
    folding.fold(delivery.pk, at)
    delivery.refresh_from_db()
    return delivery
