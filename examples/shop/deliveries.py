"""What the shop reports about itself and what its customers claim: the example deliveries."""

import json
from datetime import UTC, datetime

from examples.shop.alerts import alerts, recovery
from examples.shop.claims import claims
from examples.shop.example import BACKUP, JSON, Example

__all__ = ["Example", "render"]


def render(now: datetime) -> tuple[Example, ...]:
    """Return every delivery as told from `now`, in the order in which they come in."""
    return (*alerts(now), *claims(now), recovery(now), _beat(now))


def _beat(now: datetime) -> Example:
    """The backup beats once and then never again: the schedule opens the incident."""
    body = json.dumps({"host": "db-1", "at": now.astimezone(UTC).isoformat(timespec="seconds")}).encode()
    return Example("the nightly backup beats for the last time", BACKUP, body, JSON)
