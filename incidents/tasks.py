"""What the workers do for incidents. Each task carries an id and holds no logic."""

from celery import shared_task
from django.utils import timezone

from incidents import folding, services, sweeping
from incidents.figures import upkeep
from investigations import answering


@shared_task(acks_late=True, ignore_result=True)
def fold(delivery_id: int) -> None:
    """Fold one delivery into incidents. A second message with the same id does nothing."""
    folding.fold(delivery_id, timezone.now())


@shared_task(acks_late=True, ignore_result=True)
def fold_several(delivery_ids: list[int]) -> None:
    """Fold each of these deliveries; one that fails keeps no other from being folded."""
    folding.fold_each(delivery_ids, timezone.now)


@shared_task(acks_late=True, ignore_result=True)
def investigate(investigation_id: int) -> None:
    """Run one queued investigation. A second message with the same id does nothing."""
    services.investigate(investigation_id, now=timezone.now())


@shared_task(acks_late=True, ignore_result=True)
def answer(question_id: int) -> None:
    """Answer one question of a person. A second message with the same id does nothing."""
    answering.answer(question_id)


@shared_task(ignore_result=True)
def sweep() -> None:
    """Send again what was lost on the way, and open incidents for heartbeats that fell silent."""
    sweeping.sweep(timezone.now())


@shared_task(ignore_result=True)
def count_figures() -> None:
    """Count what changed anew, draw passes for audits, and stop the rules whose audits say so."""
    upkeep.tend(timezone.now())


@shared_task(ignore_result=True)
def forget() -> None:
    """Delete transcripts and searched words whose time is over."""
    sweeping.forget(timezone.now())
