"""What only the worker that holds the models' keys can do for others."""

from datetime import datetime
from typing import Any

from celery import shared_task
from django.core.cache import cache
from django.utils import timezone

from investigations import endpoints, probing

_KEPT_SECONDS = 24 * 3600
_QUEUE = "investigate"
_LATE_SECONDS = 300  # whoever asked is gone by then


@shared_task(ignore_result=True)
def probe(name: str, token: str) -> None:
    """Try a model endpoint and leave what was found, with this token, where `probed` finds it."""
    found = {
        "at": timezone.now().isoformat(),
        "token": token,
        "lines": [each.plain() for each in probing.probe(name)],
    }
    cache.set(_key(name), found, timeout=_KEPT_SECONDS)


def ask_for_probe(name: str, token: str) -> None:
    """Have the worker with the keys try an endpoint. Raises EndpointRefused for an unknown name."""
    endpoints.refuse_unknown(name)
    probe.apply_async((name, token), queue=_QUEUE, expires=_LATE_SECONDS)


def probed(name: str, *, token: str = "") -> dict[str, Any] | None:
    """Return when an endpoint was tried last and what was found, or None; with a token, that try alone."""
    found: dict[str, Any] | None = cache.get(_key(name))
    if found is None or (token and found["token"] != token):
        return None
    return {**found, "at": datetime.fromisoformat(found["at"])}


def _key(name: str) -> str:
    return f"investigations.probe.{name}"
