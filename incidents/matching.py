"""Which incident a signal belongs to: the open one of its key, locked; made where there is none."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models.functions import Coalesce, Least

from incidents.adapters.reading import SignalValue
from incidents.episodes import Moment, Past
from incidents.models import Incident, Signal, Source
from incidents.states import Effect, Event, State

_ROUNDS = 8


class KeysContended(Exception):
    """The incidents of a delivery were opened and closed by others faster than they could be locked."""


@dataclass(frozen=True, slots=True)
class Keyed:
    """One signal under the key that it is folded by."""

    key: str
    value: SignalValue
    moment: Moment


@dataclass(frozen=True, slots=True)
class Matched:
    """The locked open incidents by key, the closed one before by key, and what is known of the rest."""

    incidents: Mapping[str, Incident]
    closed: Mapping[str, Incident]
    lone: Mapping[str, Signal]
    pasts: Mapping[str, Past]


def match(source: Source, signals: tuple[Keyed, ...]) -> Matched:
    """Lock the open incident of every key, in the order of keys, and make those that a signal opens.

    An incident made here has `signal_count == 0`. The unique constraint decides between two that
    open the same key: the later one waits and finds the other's. Runs in the caller's transaction;
    raises KeysContended.
    """
    keys = sorted({signal.key for signal in signals})
    line_up(source, keys)
    of_source = Incident.objects.filter(source=source, sender_key__in=keys)
    open_ones = of_source.exclude(state=State.CLOSED)
    for _ in range(_ROUNDS):
        existing = set(open_ones.values_list("sender_key", flat=True))
        closed = _closed(source, keys)
        lone = _lone(source, keys)
        pasts = {key: _past(closed.get(key), lone.get(key)) for key in keys}
        opening = _openings(signals, existing, pasts)
        Incident.objects.bulk_create(
            [_made(source, opening[key], closed.get(key)) for key in sorted(opening)],
            ignore_conflicts=True,
            batch_size=500,
        )
        locked = {
            incident.sender_key: incident
            for incident in open_ones.select_for_update(no_key=True).order_by("sender_key")
        }
        if existing | opening.keys() <= locked.keys():
            for incident in locked.values():
                incident.source = source
            return Matched(locked, closed, lone, pasts)
    raise KeysContended(f"{len(keys)} keys of {source.slug}: try again")


def line_up(source: Source, keys: list[str]) -> None:
    """Let one transaction at a time fold a key, also one that has no row to lock yet.

    Else a resolve could be stored as one without incident while its firing opens the incident beside it.
    """
    numbers = sorted(
        int.from_bytes(hashlib.sha256(f"{source.pk}:{key}".encode()).digest()[:8], signed=True)
        for key in keys
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(pg_advisory_xact_lock(n)) FROM unnest(%s::bigint[]) n", [numbers])


def _closed(source: Source, keys: list[str]) -> dict[str, Incident]:
    latest = (
        Incident.objects.filter(source=source, sender_key__in=keys, state=State.CLOSED)
        .order_by("sender_key", "-pk")
        .distinct("sender_key")
    )
    return {incident.sender_key: incident for incident in latest}


def _lone(source: Source, keys: list[str]) -> dict[str, Signal]:
    """By key, the first resolve of the newest episode that was folded while no incident was known."""
    newest = (
        Signal.objects.filter(effect=Effect.RESOLVED_ONLY, sender_key__in=keys, delivery__source=source)
        .annotate(episode_at=Least(Coalesce("starts_at", "ends_at", "received_at"), "received_at"))
        .order_by("sender_key", "-episode_at", "received_at", "pk")
        .distinct("sender_key")
    )
    return {signal.sender_key: signal for signal in newest}


def moment_of(signal: Signal) -> Moment:
    """Return the times of a stored signal."""
    return Moment(Event(signal.event), signal.starts_at, signal.ends_at, signal.received_at)


def _past(closed: Incident | None, lone: Signal | None) -> Past:
    lone_resolve = moment_of(lone) if lone else None
    resolved = [
        episode_at
        for episode_at in (
            lone_resolve and lone_resolve.episode_at,
            closed and closed.resolved_episode_at,
        )
        if episode_at
    ]
    return Past(
        resolved_episode_at=max(resolved, default=None),
        closed_episode_at=closed.episode_at if closed else None,
        closed_at=closed.closed_at if closed else None,
        lone_resolve=lone_resolve,
    )


def _openings(signals: Iterable[Keyed], existing: set[str], pasts: Mapping[str, Past]) -> dict[str, Keyed]:
    """The signal that opens each key which has no open incident."""
    opening: dict[str, Keyed] = {}
    running = dict(pasts)
    for signal in signals:
        if signal.key in existing or signal.key in opening:
            continue
        if running[signal.key].opens(signal.moment):
            opening[signal.key] = signal
        elif signal.moment.is_resolve:
            running[signal.key] = running[signal.key].after_resolve(signal.moment)
    return opening


def _made(source: Source, signal: Keyed, previous: Incident | None) -> Incident:
    value, received_at = signal.value, signal.moment.received_at
    return Incident(
        source=source,
        team_id=_team_id(source, value),
        kind=value.kind,
        sender_key=signal.key,
        title=value.title,
        severity=value.severity,
        labels=dict(value.labels),
        annotations=dict(value.annotations),
        identifiers=dict(value.identifiers),
        started_at=_started_at(value, received_at),
        sender_clock_note=value.clock_note[:200],
        first_received_at=received_at,
        last_received_at=received_at,
        episode_at=signal.moment.episode_at,
        previous=previous,
    )


def _started_at(value: SignalValue, received_at: datetime) -> datetime:
    return value.starts_at or received_at


def _team_id(source: Source, value: SignalValue) -> int | None:
    """What the schedule reports belongs to the team of the heartbeat."""
    if source.adapter != "schedule":
        return source.team_id
    slug = value.identifiers.get("heartbeat", "")
    return Source.objects.filter(slug=slug).values_list("team_id", flat=True).first()
