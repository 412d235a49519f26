"""What the workers do for approvals. Each task carries an id and holds no logic."""

from celery import shared_task
from django.utils import timezone

from approvals import executing, grading, preparing, probing, sweeping, verifying


@shared_task(acks_late=True, ignore_result=True)
def prepare(request_id: int) -> None:
    """Read the target of a proposed request and write its body. A second message does nothing."""
    preparing.prepare(request_id, now=timezone.now())
    probing.probe_due(timezone.now)


@shared_task(acks_late=True, ignore_result=True)
def execute(request_id: int) -> None:
    """Execute an approved request. A second message does nothing."""
    executing.execute(request_id, clock=timezone.now)


@shared_task(acks_late=True, ignore_result=True)
def verify(request_id: int) -> None:
    """Look for a write's effect. A second message does nothing."""
    verifying.verify(request_id, now=timezone.now())


@shared_task(ignore_result=True)
def probe() -> None:
    """Probe the write credentials."""
    probing.probe_all(timezone.now)


@shared_task(ignore_result=True)
def grade(token: str) -> None:
    """Put the question of this token to the grader, in the worker that holds the models' keys."""
    grading.answer(token)


@shared_task(ignore_result=True)
def sweep() -> None:
    """Expire, end what broke, and send again what was lost."""
    sweeping.sweep(timezone.now())
