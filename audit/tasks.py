"""Upkeep of the audit log."""

from celery import shared_task

from audit import partitions


@shared_task(ignore_result=True)
def prepare_partitions() -> None:
    """Make the missing partitions of this month and the next two. Repeating it does nothing."""
    partitions.prepare()
