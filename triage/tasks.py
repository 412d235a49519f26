"""Upkeep of the project itself."""

from celery import shared_task
from django.core.cache import cache
from django.utils import timezone

HEARTBEAT_KEY = "triage.heartbeat"


@shared_task(ignore_result=True)
def note_heartbeat() -> None:
    """Leave the time in the cache, so that doctor sees beat and the upkeep worker make their round."""
    cache.set(HEARTBEAT_KEY, timezone.now().isoformat(), timeout=None)


@shared_task(ignore_result=True)
def answer(token: str, queue: str) -> None:
    """Leave a sign for doctor that this queue's worker ran a task."""
    cache.set(round_trip_key(token, queue), timezone.now().isoformat(), timeout=60)


def round_trip_key(token: str, queue: str) -> str:
    """Return where a round trip leaves its sign."""
    return f"triage.round-trip.{queue}.{token}"
