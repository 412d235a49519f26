"""Wakes the workers. What is to be done stands in the rows; a lost message is sent again by the sweep."""

import logging
from datetime import datetime

from celery import current_app
from django.db import transaction

from approvals.models import ActionRequest

_QUEUE = "execute"
_GRADING = "investigate"
_log = logging.getLogger(__name__)


def after_commit(task: str, request_id: int) -> None:
    """Send a task of approvals once the caller's transaction has committed."""
    transaction.on_commit(lambda: now(task, request_id))


def now(task: str, request_id: int) -> None:
    """Send a task at once."""
    _send(task, request_id, 0)


def note_sent(request_id: int, at: datetime) -> None:
    """Remember when a worker was woken for a request last."""
    ActionRequest.objects.filter(pk=request_id).update(sent_at=at)


def later(task: str, request_id: int, seconds: float) -> None:
    """Send a task that is to begin in so many seconds."""
    _send(task, request_id, seconds)


def to_grader(token: str, *, seconds: float) -> None:
    """Wake the worker that holds the models' keys; the message is void after so long. Errors are raised."""
    current_app.send_task("approvals.tasks.grade", args=[token], queue=_GRADING, retry=False, expires=seconds)


def _send(task: str, request_id: int, seconds: float) -> None:
    """A broker that is away is no reason to fail: the sweep sends again."""
    try:
        current_app.send_task(
            f"approvals.tasks.{task}", args=[request_id], queue=_QUEUE, retry=False, countdown=seconds
        )
    except Exception:  # noqa: BLE001 every transport has its own errors, and none of them matters here
        _log.warning(
            "approvals: %s of request %s could not be sent; the sweep sends it again", task, request_id
        )
