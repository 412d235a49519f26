"""What was lost on the way is sent again; heartbeats that did not come and changed models are reported."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from incidents import intake, queue_acts, queue_counts, queue_undo, sending
from incidents.models import Delivery, Source
from incidents.states import DeliveryState
from investigations import questions, sightings
from investigations import services as investigations

_AT_ONCE = 500
# A message that is still queued must not be doubled at every sweep.
_AGAIN_AFTER = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Swept:
    """How much one sweep found."""

    deliveries: int
    investigations: int
    silences: int


def sweep(now: datetime) -> Swept:
    """Send again what was lost, report silent heartbeats, and return the counts."""
    silences = report_silences(now)
    report_swaps(now)
    resend_questions(now)
    queue_acts.wake_all(now)
    queue_counts.add_up()
    queue_undo.forget(now)
    return Swept(resend_deliveries(now), resend_investigations(now), silences)


def resend_deliveries(now: datetime) -> int:
    """Send the deliveries that nobody has folded, oldest first; return how many."""
    found = list(
        Delivery.objects.filter(state=DeliveryState.RECEIVED, next_try_at__lte=now)
        .order_by("next_try_at", "pk")
        .values_list("pk", flat=True)[:_AT_ONCE]
    )
    for number in found:
        if not sending.send("incidents.tasks.fold", number):
            break  # the broker is away: they stay due
        Delivery.objects.filter(pk=number, state=DeliveryState.RECEIVED, next_try_at__lte=now).update(
            next_try_at=now + _AGAIN_AFTER
        )
    return len(found)


def resend_investigations(now: datetime) -> int:
    """Send the investigations that are due; return how many."""
    found = investigations.due(now)
    for number in found:
        sending.send("incidents.tasks.investigate", number)
    return len(found)


def resend_questions(now: datetime) -> int:
    """Send the questions that nobody answers; return how many."""
    found = questions.due(now)
    for number in found:
        sending.send("incidents.tasks.answer", number)
    return len(found)


def report_silences(now: datetime) -> int:
    """Report each heartbeat whose beat is overdue and not yet reported; return how many were news."""
    news = 0
    watched = Source.objects.filter(
        adapter="heartbeat", is_active=True, every_seconds__isnull=False, silent_since_at=None
    )
    for source in watched:
        last = source.last_seen_at or source.created_at
        due_at = last + timedelta(seconds=(source.every_seconds or 0) + source.grace_seconds)
        if due_at <= now:
            news += intake.report_silence(source, silent_since_at=due_at, now=now)
    return news


def report_swaps(now: datetime) -> int:
    """Report each model that was changed behind its name, once; return how many there were."""
    with transaction.atomic():
        swaps = sightings.take_untold(now)
        for swap in swaps:
            intake.report_swap(swap, now)
    return len(swaps)
