"""What workers do for trials. Each task carries an id and holds no logic."""

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from trials.evaluating import running
from trials.golden import building


@shared_task(acks_late=True, ignore_result=True)
def make_run(number: int) -> None:
    """Make one run of an evaluation. A second message with the same id does nothing."""
    running.run(number)


@shared_task(ignore_result=True)
def collect_overrides() -> None:
    """Add the last month's overrides to the golden sets; those that are there are left alone."""
    now = timezone.now()
    building.collect_overrides(since=now - timedelta(days=30), now=now)
