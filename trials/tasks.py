"""What workers do for trials. Each task carries an id and holds no logic."""

import logging
from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from incidents import sending
from trials.evaluating import running
from trials.golden import building
from trials.handover import afterwards
from trials.schedules import keeping

log = logging.getLogger(__name__)


@shared_task(acks_late=True, ignore_result=True)
def make_run(number: int) -> None:
    """Make one run of an evaluation. A second message with the same id does nothing."""
    running.run(number)


@shared_task(ignore_result=True)
def collect_overrides() -> None:
    """Add the last month's overrides to the golden sets; those that are there are left alone."""
    now = timezone.now()
    building.collect_overrides(since=now - timedelta(days=30), now=now)


@shared_task(ignore_result=True)
def look_at_schedules() -> None:
    """Begin the nightly evaluation and the weekly drill when they are due, and send on what was lost."""
    keeping.look(timezone.now())


@shared_task(acks_late=True, ignore_result=True)
def go_on(number: int) -> None:
    """Make one step of a scheduled trial and send for the next: incidents come in between."""
    if keeping.go_on(number):
        sending.send("trials.tasks.go_on", number)


@shared_task(ignore_result=True)
def hand_over(number: int) -> None:
    """Hand a scheduled evaluation to Langfuse; what becomes of that is logged and changes nothing."""
    log.info("%s", afterwards.send_apart(number))
