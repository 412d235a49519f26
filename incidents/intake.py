"""Deliveries come in: stored as they are, committed before they are answered."""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial

from django.db import IntegrityError, transaction
from django.db.models import F

from audit import writing
from incidents import waking
from incidents.adapters import schedule
from incidents.models import Delivery, Source
from incidents.states import Condition, DeliveryState, Event
from investigations.outcomes import Jump
from investigations.sightings import Swap
from toolbox import redaction

# How long the fold's message may take before the sweeper sends another.
GRACE = timedelta(seconds=15)
_SEEN_EVERY = timedelta(seconds=10)
_HEADERS = frozenset(
    {
        "content-type",
        "content-length",
        "user-agent",
        "date",
        "x-request-id",
        "traceparent",
        "x-github-event",
        "x-github-delivery",
        "x-github-hook-id",
    }
)
_HEADER_MAX = 300
_OWN_ID = 35  # a UUID but for its last sign; the rest of the hundred is the body's digest
_SENDER_IDS = {"github": "x-github-delivery"}


def secret_digest(secret: str) -> str:
    """Return what is kept of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def is_secret_of(source: Source, secret: str) -> bool:
    """Compare in constant time with the secret, and with the next one while it is being changed."""
    given = secret_digest(secret)
    kept = (source.secret_digest, source.next_secret_digest)
    return any([hmac.compare_digest(given, digest) for digest in kept])  # noqa: C419 both, always


def receive(source: Source, body: bytes, headers: Mapping[str, str], sender: str, now: datetime) -> Delivery:
    """Store one delivery; after commit a worker is woken to fold it.

    A heartbeat's beat has nothing to fold: it is folded at once, and ends the source's silence. One that its
    sender delivers again under the same id is not stored again: the first is returned, and an entry says so.
    """
    kept = _kept(headers)
    delivery = Delivery(
        source=source,
        body=body,
        headers=kept,
        sender=sender[:64],
        sender_id=_sender_id(source, kept),
        received_at=now,
        next_try_at=now + GRACE,
    )
    if source.adapter == "heartbeat":
        with transaction.atomic():
            delivery.state, delivery.condition, delivery.folded_at = (
                DeliveryState.FOLDED,
                Condition.WHOLE,
                now,
            )
            delivery.save(force_insert=True)
            _note_beat(source.pk, now)
        return delivery
    _note_seen(source, now)
    if delivery.sender_id:
        first = _stored_before(delivery)
        if first is not None:
            return first
    else:
        # One INSERT, committed by itself: nothing else has to stand or fall with a stored delivery.
        delivery.save(force_insert=True)
    transaction.on_commit(partial(waking.wake, delivery.pk))
    return delivery


def _sender_id(source: Source, kept: Mapping[str, str]) -> str:
    """Return the id by which a sender would deliver the same again, where it gives one."""
    return kept.get(_SENDER_IDS.get(source.adapter, ""), "").strip()[:100]


def _stored_before(delivery: Delivery) -> Delivery | None:
    """Store a delivery that has a sender's id; return the one of that id that was there before, if any.

    The unique constraint decides between two that come at once. One that says something else under the same
    id, such as one of nothing but zeros, is news: it is stored under an id that its body makes its own.
    """
    first = _first_of(delivery)
    if first is not None and bytes(first.body) != delivery.body:
        digest = hashlib.sha256(delivery.body).hexdigest()
        delivery.sender_id = f"{delivery.sender_id[:_OWN_ID]}:{digest[: 99 - _OWN_ID]}"
        first = _first_of(delivery)
    if first is None:
        return None
    with transaction.atomic():
        writing.write(
            "delivery.repeated",
            {"delivery": first.pk, "source": delivery.source.slug, "sender_id": delivery.sender_id},
            actor=f"source:{delivery.source.slug}",
        )
    return first


def _first_of(delivery: Delivery) -> Delivery | None:
    try:
        with transaction.atomic():
            delivery.save(force_insert=True)
    except IntegrityError:
        return Delivery.objects.get(source=delivery.source_id, sender_id=delivery.sender_id)
    return None


def count_oversized(source: Source, *, size: int, sender: str) -> None:
    """Count a body that was too large to be taken, with its size and sender."""
    Source.objects.filter(pk=source.pk).update(
        oversized_count=F("oversized_count") + 1,
        oversized_last_bytes=min(size, 2**63 - 1),
        oversized_last_sender=sender[:64],
    )


def report_silence(source: Source, *, silent_since_at: datetime, now: datetime) -> bool:
    """Write the schedule's delivery about a heartbeat that did not come; return whether it was news.

    Of several that notice the same silence one writes it. A beat in between wins.
    """
    with transaction.atomic():
        marked = Source.objects.filter(
            pk=source.pk, silent_since_at=None, last_seen_at=source.last_seen_at, is_active=True
        ).update(silent_since_at=silent_since_at)
        if marked:
            _report(source.slug, Event.FIRING, silent_since_at, beat_at=source.last_seen_at, now=now)
    return bool(marked)


def report_drift(jump: Jump, now: datetime) -> None:
    """Write the schedule's delivery about a drift, in the caller's transaction."""
    _deliver(schedule.render_drift(jump), now)


def report_swap(swap: Swap, now: datetime) -> None:
    """Write the schedule's delivery about a changed model, in the caller's transaction."""
    _deliver(schedule.render_swap(swap), now)


def report_alarm(alarm: schedule.Alarm, now: datetime) -> None:
    """Write the schedule's delivery about trials that have become worse, in the caller's transaction."""
    _deliver(schedule.render_alarm(alarm, now), now)


def _note_beat(source_id: int, now: datetime) -> None:
    source = Source.objects.select_for_update(no_key=True).get(pk=source_id)
    since = source.silent_since_at
    source.last_seen_at = max(now, source.last_seen_at or now)
    source.silent_since_at = None
    source.save(update_fields=["last_seen_at", "silent_since_at"])
    if since is not None:
        _report(source.slug, Event.RESOLVED, since, beat_at=now, now=now)


def _note_seen(source: Source, now: datetime) -> None:
    """Rarely enough that a storm does not queue up for one row."""
    if source.last_seen_at is None or now - source.last_seen_at > _SEEN_EVERY:
        Source.objects.filter(pk=source.pk).update(last_seen_at=now)


def _report(slug: str, event: Event, since: datetime, *, beat_at: datetime | None, now: datetime) -> None:
    _deliver(schedule.render(slug, event=event, silent_since_at=since, beat_at=beat_at), now)


def _deliver(body: bytes, now: datetime) -> None:
    source, _ = Source.objects.get_or_create(
        slug="schedule", defaults={"title": "Schedule", "adapter": "schedule", "created_at": now}
    )
    receive(source, body, {"content-type": "application/json"}, "schedule", now)


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    """Only what helps to understand a delivery; never what signs a sender in."""
    return {
        name.lower(): redaction.cut(value, _HEADER_MAX)
        .encode("utf-8", "replace")
        .decode()
        .replace("\0", "\ufffd")
        for name, value in headers.items()
        if name.lower() in _HEADERS
    }
