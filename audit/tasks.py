"""Upkeep of the audit log."""

import logging

from celery import shared_task

from audit import keys, lag, partitions, publishing, recording, sealing

_log = logging.getLogger(__name__)


@shared_task(ignore_result=True)
def prepare_partitions() -> None:
    """Make the missing partitions of this month and the next two. Repeating it does nothing."""
    partitions.prepare()


@shared_task(ignore_result=True)
def seal() -> None:
    """Seal what has been committed. Does nothing without a key; a second one at work does nothing."""
    key = keys.signing_key()
    if key is None:
        return
    sealing.seal_all(key, verifiers=keys.verifiers())
    behind = lag.lag()
    if behind.is_late:
        _log.error("The audit log's seal is late: %s.", behind)


@shared_task(ignore_result=True)
def publish() -> None:
    """Take the newest checkpoint to each place where it is due."""
    publishing.publish_due()


@shared_task(ignore_result=True)
def verify() -> None:
    """Verify the whole log, and record the result in it."""
    recording.verify_and_record()
