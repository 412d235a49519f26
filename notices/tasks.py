"""What the upkeep worker does for notices. Each task carries ids and holds no logic."""

import time

from celery import shared_task
from django.utils import timezone

from notices import sending

_SECONDS = 25  # receivers that do not answer must not hold the worker; the next sweep goes on


@shared_task(acks_late=True, ignore_result=True)
def send(message_ids: list[int]) -> None:
    """Send these messages. A second delivery of the same ids does nothing."""
    _send(message_ids)


@shared_task(ignore_result=True)
def sweep() -> None:
    """Send what is due by now: repeats, tries after a failure, and what was lost on the way."""
    _send(sending.due(timezone.now()))


def _send(message_ids: list[int]) -> None:
    end = time.monotonic() + _SECONDS
    for number in message_ids:
        if time.monotonic() >= end:
            break
        sending.send(number, now=timezone.now())
