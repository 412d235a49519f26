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


def people() -> list[Mapping[str, Any]]:
    """Return username, full name, role, team and password of each person."""
    return _read("people.json")


def sources() -> list[Mapping[str, Any]]:
    """Return slug, adapter, title, team, every and grace of each source."""
    return _read("sources.json")


def postings(now: datetime) -> list[Posting]:
    """Return the example deliveries as told from `now`."""
    from examples.shop import deliveries

    return [Posting(one.name, one.source, one.body, one.content_type) for one in deliveries.render(now)]


def expectations() -> list[Mapping[str, Any]]:
    """Return how each incident has to end: source, sender_key, hypothesis, passed and more."""
    from examples.shop import expectations as shop

    return list(shop.expected())


def differences(expected: list[Mapping[str, Any]], rows: list[Mapping[str, Any]]) -> list[str]:
    """Return in what the rows differ from what is expected, in sentences."""
    from examples.shop import expectations as shop

    return shop.compare(expected, rows)


def false_passes(expected: list[Mapping[str, Any]], rows: list[Mapping[str, Any]]) -> list[str]:
    """Return which rows passed and should not have, in sentences: what a model may never bring about."""
    from examples.shop import expectations as shop

    return shop.false_passes(expected, rows)


def _read(file: str) -> list[Mapping[str, Any]]:
    read: list[Mapping[str, Any]] = json.loads((SHOP / file).read_text(encoding="utf-8"))
    return read
