"""A task that takes its time, for tests of what happens to a worker in the middle of one."""

import time

from celery import shared_task
from django.core.cache import cache


@shared_task(ignore_result=True)
def sleep(name: str, seconds: float) -> None:
    """Leave a sign at the start and one at the end."""
    cache.set(f"started.{name}", 1, timeout=None)
    time.sleep(seconds)
    cache.set(f"ended.{name}", 1, timeout=None)
