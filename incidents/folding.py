"""A delivery's signals fold into incidents. Repeatable: what is folded once stays folded once."""

import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import OperationalError, transaction
from django.db.models import F, Max

from audit import writing
from incidents import sending
from incidents.adapters import READERS
from incidents.adapters.reading import Reading
from incidents.applying import apply
from incidents.intake import GRACE
from incidents.matching import KeysContended
from incidents.models import Delivery, Signal
from incidents.states import DeliveryState
from toolbox import redaction

log = logging.getLogger(__name__)
# A delivery of thousands of alerts is folded in pieces, each committed, and lets others pass in between.
CHUNK = 250
SLICE_SECONDS = 2.0
_CONTENTION_TRIES = 5


@dataclass(frozen=True, slots=True)
class _Progress:
    finished: bool
    folded: int = 0


def fold(delivery_id: int, now: datetime, *, clock: Callable[[], float] = time.monotonic) -> bool:
    """Fold one delivery; return whether there is nothing left to do.

    A large delivery is folded for a slice of time and then sent again, so that others pass.
    What cannot be folded is tried DELIVERY_TRIES times, then parked; the rest proceed. A database
    that is away is nobody's fault: OperationalError is raised and the sweeper sends it again.
    """
    delivery = _begin(delivery_id, now)
    if delivery is None:
        return True
    until = clock() + SLICE_SECONDS
    try:
        reading = READERS[delivery.source.adapter](
            bytes(delivery.body), delivery.received_at, delivery.headers
        )
        while True:
            progress = _with_patience(lambda: _fold_chunk(delivery_id, reading, now))
            if progress.finished:
                return True
            if clock() >= until:
                break
    except OperationalError:
        raise
    except Exception as error:
        log.exception("Delivery %s could not be folded.", delivery_id)
        _note_failure(delivery_id, error, now)
        return True
    Delivery.objects.filter(pk=delivery_id).update(tries=0, next_try_at=now + GRACE)
    sending.send("incidents.tasks.fold", delivery_id)
    return False


def fold_each(delivery_ids: Iterable[int], clock: Callable[[], datetime]) -> None:
    """Fold several deliveries. A failure ends none of the others; the first is raised when all were tried."""
    first: Exception | None = None
    for number in delivery_ids:
        try:
            fold(number, clock())
        except Exception as error:  # noqa: BLE001 raised below
            first = first or error
    if first is not None:
        raise first


def _begin(delivery_id: int, now: datetime) -> Delivery | None:
    """Count the try before it is made: a delivery that kills its worker must be parked as well."""
    counted = Delivery.objects.filter(pk=delivery_id, state=DeliveryState.RECEIVED).update(
        tries=F("tries") + 1, next_try_at=now + GRACE
    )
    if not counted:
        return None
    delivery = Delivery.objects.select_related("source").get(pk=delivery_id)
    # Messages can double, and several workers may have begun: twice the tries before a park unheard.
    if delivery.tries > 2 * settings.DELIVERY_TRIES:
        _park(delivery_id, "its worker ended while folding it, time after time", now)
        return None
    return delivery


def _with_patience(piece: Callable[[], _Progress]) -> _Progress:
    """Run one piece; a deadlock or contended keys are tried again after a short random wait."""
    for attempt in range(1, _CONTENTION_TRIES):
        try:
            return piece()
        except KeysContended:
            pass
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", None) not in ("40P01", "40001", "55P03"):
                raise
        time.sleep(random.uniform(0.01, 0.05) * attempt)  # noqa: S311 jitter, not a secret
    return piece()


def _fold_chunk(delivery_id: int, reading: Reading, now: datetime) -> _Progress:
    with transaction.atomic():
        delivery = (
            Delivery.objects.select_for_update(no_key=True, of=("self",))
            .select_related("source")
            .filter(pk=delivery_id, state=DeliveryState.RECEIVED)
            .first()
        )
        if delivery is None:
            return _Progress(finished=True)
        last = Signal.objects.filter(delivery=delivery).aggregate(last=Max("position"))["last"]
        rest = [value for value in reading.signals if last is None or value.position > last]
        if rest:
            apply(delivery, rest[:CHUNK], not_shown=reading.not_shown, now=now)
        if len(rest) > CHUNK:
            return _Progress(finished=False, folded=CHUNK)
        _finish(delivery, reading, now)
        return _Progress(finished=True, folded=len(rest))


def _finish(delivery: Delivery, reading: Reading, now: datetime) -> None:
    delivery.state = DeliveryState.PARKED if reading.is_parked else DeliveryState.FOLDED
    delivery.condition = reading.condition
    delivery.notes = list(reading.notes)
    delivery.folded_at = now
    delivery.next_try_at = None
    delivery.save(update_fields=["state", "condition", "notes", "folded_at", "next_try_at"])
    effects = Counter(Signal.objects.filter(delivery=delivery).values_list("effect", flat=True))
    writing.write(
        "delivery.folded",
        {
            "delivery": delivery.pk,
            "source": delivery.source.slug,
            "condition": reading.condition.value,
            "effects": dict(sorted(effects.items())),
            "not_shown": reading.not_shown,
        },
        actor=f"source:{delivery.source.slug}",
    )


def _note_failure(delivery_id: int, error: Exception, now: datetime) -> None:
    reason = f"{type(error).__name__}: {error}".replace("\0", "\ufffd")
    reason = redaction.cut(redaction.text(reason.encode("utf-8", "replace").decode()), 500)
    tries = Delivery.objects.values_list("tries", flat=True).get(pk=delivery_id)
    if tries >= settings.DELIVERY_TRIES:
        _park(delivery_id, reason, now)
        return
    Delivery.objects.filter(pk=delivery_id, state=DeliveryState.RECEIVED).update(
        next_try_at=now + timedelta(seconds=2**tries)
    )


def _park(delivery_id: int, reason: str, now: datetime) -> None:
    with transaction.atomic():
        parked = Delivery.objects.filter(pk=delivery_id, state=DeliveryState.RECEIVED).update(
            state=DeliveryState.PARKED,
            notes=[f"Put aside after {settings.DELIVERY_TRIES} tries: {reason}"],
            next_try_at=None,
        )
        if parked:
            writing.write("delivery.parked", {"delivery": delivery_id, "reason": reason}, actor="schedule")
