"""The files of the example shop that the demo plays: people, sources, deliveries, what is expected."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings

SHOP = Path(settings.BASE_DIR) / "examples" / "shop"


@dataclass(frozen=True, slots=True)
class Posting:
    """One example delivery: to which source, and the bytes."""

    name: str
    source: str
    body: bytes
    content_type: str


@dataclass(frozen=True, slots=True)
class Expectation:
    """How one incident has to end. It is found by its sender's key, else by its title."""

    name: str
    sender_key: str
    title: str
    hypothesis: str
    passed: bool
    deciding: str
    reason_contains: str


def people() -> list[Mapping[str, Any]]:
    """Return username, full name, role, team and password of each person."""
    return _read("people.json", "people")


def sources() -> list[Mapping[str, Any]]:
    """Return slug, adapter, title, team, every and grace of each source."""
    return _read("sources.json", "sources")


def postings(now: datetime) -> list[Posting]:
    """Return the example deliveries as told from `now`."""
    from examples.shop import deliveries

    return [Posting(one.name, one.source, one.body, one.content_type) for one in deliveries.render(now)]


def expectations() -> list[Expectation]:
    """Return how each incident has to end."""
    return [
        Expectation(
            name=one["name"],
            sender_key=one.get("sender_key", ""),
            title=one.get("title", ""),
            hypothesis=one["hypothesis"],
            passed=one["passed"],
            deciding=one.get("deciding", ""),
            reason_contains=one.get("reason_contains", ""),
        )
        for one in _read("expected.json", "expected")
    ]


def _read(file: str, key: str) -> list[Mapping[str, Any]]:
    read = json.loads((SHOP / file).read_text(encoding="utf-8"))
    return list(read[key] if isinstance(read, dict) else read)
