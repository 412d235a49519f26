"""The settings of model endpoints, as a test that needs no process of its own sets them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

UNSET: Mapping[str, Any] = {
    "base_url": "", "key": "", "model": "", "quirks": "", "price_in": Decimal("2.5"),
    "price_out": Decimal(10), "context": 8192, "max_tokens": 500, "temperature": Decimal(0),
    "seconds": 5, "total_seconds": 10,
    "tries": 2, "backoff_ms": 1,
}  # fmt: skip


def endpoint_settings(**each: Mapping[str, Any]) -> dict[str, Any]:
    """Return MODEL_ENDPOINTS with some set: `endpoint_settings(default={"base_url": …, "model": …})`."""
    names = ("default", "candidate", "critic", "grader", "ask")
    prefixes = {name: "" if name == "default" else f"{name.upper()}_" for name in names}
    return {name: {**UNSET, "prefix": prefixes[name], **each.get(name, {})} for name in names}
