"""What replies say that they are of: a model or fingerprint that changes unasked is noticed once."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from investigations.models import EndpointSeen
from investigations.named import Endpoint
from investigations.talk import Reply

_NOTED_EVERY = timedelta(minutes=10)
# Servers behind one address may alternate between two fingerprints: going back and forth is no news.
_FORGOTTEN_AFTER = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Swap:
    """An endpoint whose replies name another model or fingerprint than before, its settings unchanged."""

    sight: int
    endpoint: str
    asked: str
    before: str
    after: str
    seen_at: datetime


class Sights:
    """What the replies of one run say that they are of: what was noted just now is not looked up again."""

    def __init__(self) -> None:
        self._noted: dict[tuple[str, str], datetime] = {}

    def note(self, place: Endpoint, reply: Reply, now: datetime) -> None:
        """Note what a reply says; see `note`."""
        said = (reply.model, reply.fingerprint)
        noted_at = self._noted.get(said)
        if noted_at is None or now - noted_at > _NOTED_EVERY:
            note(place, reply, now)
            self._noted[said] = now


def note(place: Endpoint, reply: Reply, now: datetime) -> None:
    """Note what a reply says that it is of. A reply that says nothing is no change."""
    if not (reply.model or reply.fingerprint):
        return
    rows = EndpointSeen.objects.filter(base_url=place.base_url, asked=place.model[:200])
    last = rows.order_by("-last_seen_at", "-pk").first()
    if last is not None and (last.model, last.fingerprint) == (reply.model, reply.fingerprint):
        if now - last.last_seen_at > _NOTED_EVERY:
            EndpointSeen.objects.filter(pk=last.pk).update(last_seen_at=now)
        return
    _note_other(place, reply, last, now)


def _note_other(place: Endpoint, reply: Reply, last: EndpointSeen | None, now: datetime) -> None:
    with transaction.atomic():
        row, is_new = EndpointSeen.objects.get_or_create(
            base_url=place.base_url,
            asked=place.model[:200],
            model=reply.model,
            fingerprint=reply.fingerprint,
            defaults={
                "endpoint": place.name,
                "before": "" if last is None else _shown(last.model, last.fingerprint),
                "first_seen_at": now,
                "last_seen_at": now,
                "tell_at": None if last is None else now,
            },
        )
        if is_new or last is None:
            return
        is_news = now - row.last_seen_at > _FORGOTTEN_AFTER
        EndpointSeen.objects.filter(pk=row.pk, last_seen_at=row.last_seen_at).update(
            last_seen_at=now,
            **({"tell_at": now, "before": _shown(last.model, last.fingerprint)} if is_news else {}),
        )


def _shown(model: str, fingerprint: str) -> str:
    return f"{model or 'no name'} ({fingerprint or 'no fingerprint'})"


def take_untold(now: datetime) -> list[Swap]:
    """Return the changes that nobody was told of, and mark them as told, in the caller's transaction."""
    rows = list(
        EndpointSeen.objects.select_for_update(skip_locked=True)
        .filter(tell_at__lte=now)
        .order_by("tell_at", "pk")[:50]
    )
    EndpointSeen.objects.filter(pk__in=[row.pk for row in rows]).update(tell_at=None)
    return [
        Swap(row.pk, row.endpoint, row.asked, row.before, _shown(row.model, row.fingerprint), row.tell_at)
        for row in rows
        if row.tell_at is not None
    ]
