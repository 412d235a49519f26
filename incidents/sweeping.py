"""What was lost on the way is sent again; heartbeats that did not come and changed models are reported."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F

from accounts import sentforms
from incidents import intake, queue_acts, queue_counts, queue_undo, rulefigures, sending
from incidents.models import Delivery, Incident, Said, Source
from incidents.states import DeliveryState, State
from investigations import questions, sightings, transcripts
from investigations import services as investigations

_AT_ONCE = 500
_BATCHES = 20
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
    rulefigures.add_up()
    queue_undo.forget(now)
    sentforms.forget(now)
    return Swept(resend_deliveries(now), resend_investigations(now), silences)


def forget(now: datetime) -> int:
    """Delete transcripts and searched words whose time is over, in small batches; return how many rows.

    One call does no more than some thousands: the next goes on.
    """
    gone = 0
    for _ in range(_BATCHES):
        batch = transcripts.forget(now) + forget_words(now)
        gone += batch
        if not batch:
            break
    return gone


def forget_words(now: datetime) -> int:
    """Let the search forget what was drafted and noted on one batch of incidents closed long ago.

    They are still found by title, labels, rule and number, and keep their drafts and notes. 0 days keep all.
    """
    if not settings.SEARCHED_DAYS:
        return 0
    before = now - timedelta(days=settings.SEARCHED_DAYS)
    closed = Incident.objects.filter(state=State.CLOSED, closed_at__lt=before).order_by().values("pk")
    numbers = list(
        Said.objects.filter(incident__in=closed).order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]
    )
    if numbers:
        with transaction.atomic():
            Said.objects.filter(pk__in=numbers).delete()
            # The trigger then makes the searched words anew, of what the incident itself has.
            Incident.objects.filter(pk__in=numbers).update(shelf=F("shelf"))
    return len(numbers)


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
