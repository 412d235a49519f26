"""Upkeep of the project itself."""

from celery import shared_task
from django.core.cache import cache
from django.utils import timezone

from triage import outages

HEARTBEAT_KEY = outages.HEARTBEAT_KEY


@shared_task(ignore_result=True)
def note_heartbeat() -> None:
    """Leave the time and what is down in the cache: doctor and the banner of every page read both."""
    outages.note(timezone.now())


@shared_task(ignore_result=True)
def answer(token: str, queue: str) -> None:
    """Leave a sign for doctor that this queue's worker ran a task."""
    cache.set(round_trip_key(token, queue), timezone.now().isoformat(), timeout=60)


def round_trip_key(token: str, queue: str) -> str:
    """Return where a round trip leaves its sign."""
    return f"triage.round-trip.{queue}.{token}"
