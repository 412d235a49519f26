"""Upkeep of the project itself."""

from celery import shared_task
from django.core.cache import cache
from django.utils import timezone


@shared_task(ignore_result=True)
def note_heartbeat() -> None:
    """Leave the time in the cache, so that doctor sees beat and the upkeep worker make their round."""
    cache.set("triage.heartbeat", timezone.now().isoformat(), timeout=None)
