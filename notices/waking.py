"""Wakes the worker that sends. What is to be sent stands in the rows; the sweep finds what was lost."""

import logging
from collections.abc import Sequence

from celery import current_app
from django.db import transaction

_log = logging.getLogger(__name__)


def after_commit(message_ids: Sequence[int]) -> None:
    """Have these messages sent once the caller's transaction has committed."""
    if message_ids:
        transaction.on_commit(lambda: _send(list(message_ids)))


def _send(message_ids: list[int]) -> None:
    """A broker that is away is no reason to fail: the sweep sends."""
    try:
        current_app.send_task("notices.tasks.send", args=[message_ids], queue="upkeep", retry=False)
    except Exception:  # noqa: BLE001 every transport has its own errors, and none of them matters here
        _log.warning("notices: the broker did not take %s; the sweep sends them", message_ids)
