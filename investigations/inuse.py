"""Which model serves a purpose: the first that was set, then what passed a drill, or is let in for a time."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q

from accounts.models import User
from accounts.permissions import Permission
from audit import writing
from investigations.models import EndpointUse
from investigations.named import Endpoint
from investigations.states import Purpose, Taken

MOST_HOURS = 72
# What is compared and what is tried out is in nobody's use.
FREE = frozenset({Purpose.CANDIDATE, Purpose.PROBE})


class UseRefused(ValueError):
    """An endpoint cannot be let in; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What is in use of an endpoint: its server and its model. Neither key nor limits make it another."""

    base_url: str
    model: str

    @classmethod
    def of(cls, place: Endpoint) -> "Identity":
        """Return that of an endpoint as it is set."""
        return cls(place.base_url, place.model[:200])


@dataclass(frozen=True, slots=True)
class Passed:
    """A drill whose candidate may take the place of what is in use."""

    drill: int
    place: Identity
    endpoint: str


def standing(purpose: Purpose, now: datetime) -> EndpointUse | None:
    """Return what serves a purpose now: an override while it lasts, else what was there last."""
    rows = EndpointUse.objects.filter(Q(until=None) | Q(until__gt=now), purpose=purpose, ended_at=None)
    return max(rows, key=lambda row: (row.until is not None, row.pk), default=None)


def chosen(purpose: Purpose, named: Endpoint, others: Iterable[Endpoint], now: datetime) -> Endpoint | None:
    """Return which of the endpoints that are set is the one in use for a purpose, or None for none of them.

    The first that a purpose ever has is noted as such: whoever set it vouches for it. Raises nothing.
    """
    if purpose in FREE:
        return named
    row = standing(purpose, now) or _first(purpose, named, now)
    wanted = Identity(row.base_url, row.model)
    return next((place for place in (named, *others) if Identity.of(place) == wanted), None)


def refusal(purpose: Purpose, named: Endpoint, now: datetime) -> str:
    """Return in words why the endpoint that is set may not take the place of the one in use."""
    row = standing(purpose, now)
    there = f"{row.model} at {row.base_url}, since {row.began_at:%Y-%m-%d}" if row else "another"
    return (
        f"The settings name {named.model} at {named.base_url} for the purpose {purpose}; in use is "
        f"{there}. It takes that place by a passed drill (docs/howto/run-a-drill.md): name it as the "
        "candidate, and the old one as before. An administrator lets it in for a limited time with "
        f"`manage.py endpointinuse override {purpose}`"
    )


def in_words(row: EndpointUse) -> str:
    """Return what serves a purpose and by what right, in one sentence without its end."""
    what = f"{row.model} at {row.base_url}, since {row.began_at:%Y-%m-%d %H:%M} UTC"
    match Taken(row.how):
        case Taken.DRILL:
            return f"{what}, by drill {row.drill} ({row.began_by})"
        case Taken.OVERRIDE:
            until = f"{row.until:%Y-%m-%d %H:%M} UTC"
            return f"{what}, WITHOUT A DRILL until {until}, by {row.began_by}: {row.because}"
        case Taken.FIRST:
            return f"{what}, the first that was set: never drilled"


def _first(purpose: Purpose, named: Endpoint, now: datetime) -> EndpointUse:
    """Note the first endpoint of a purpose. Two that come at once: one is noted, both get it."""
    try:
        with transaction.atomic():
            row = EndpointUse.objects.create(
                purpose=purpose,
                base_url=named.base_url,
                model=named.model[:200],
                endpoint=named.name,
                how=Taken.FIRST,
                began_by="settings",
                began_at=now,
            )
            _note("endpoint.activated", row, "system:settings")
    except IntegrityError:
        return EndpointUse.objects.get(purpose=purpose, ended_at=None, until=None)
    return row


def replace(purposes: Iterable[Purpose], passed: Passed, *, by: User, now: datetime) -> None:
    """Put what passed a drill in the place of what serves these purposes, in the caller's transaction.

    Audited. Raises UseRefused.
    """
    _demand_administrator(by)
    for purpose in purposes:
        EndpointUse.objects.filter(purpose=purpose, ended_at=None).update(ended_by=by.username, ended_at=now)
        row = EndpointUse.objects.create(
            purpose=purpose,
            base_url=passed.place.base_url,
            model=passed.place.model,
            endpoint=passed.endpoint,
            how=Taken.DRILL,
            drill=passed.drill,
            began_by=by.username,
            began_at=now,
        )
        _note("endpoint.replaced", row, f"person:{by.username}")


def override(
    purpose: Purpose, place: Endpoint, *, hours: int, because: str, by: User, now: datetime
) -> EndpointUse:
    """Let an endpoint serve a purpose without a drill, for some hours. Audited. Raises UseRefused."""
    _demand_administrator(by)
    because = " ".join(because.split())[:300]
    if not because:
        raise UseRefused("Say why it cannot wait for a drill.")
    if not 1 <= hours <= MOST_HOURS:
        raise UseRefused(f"It is let in for 1 to {MOST_HOURS} hours.")
    if purpose in FREE:
        raise UseRefused(f"Nothing has to be overridden for {purpose}.")
    with transaction.atomic():
        EndpointUse.objects.filter(purpose=purpose, ended_at=None, until__isnull=False).update(
            ended_by=by.username, ended_at=now
        )
        row = EndpointUse.objects.create(
            purpose=purpose,
            base_url=place.base_url,
            model=place.model[:200],
            endpoint=place.name,
            how=Taken.OVERRIDE,
            because=because,
            began_by=by.username,
            began_at=now,
            until=now + timedelta(hours=hours),
        )
        _note("endpoint.overridden", row, f"person:{by.username}")
    return row


def end_override(purpose: Purpose, *, by: User, now: datetime) -> None:
    """End an override before its time. Audited. Raises UseRefused."""
    _demand_administrator(by)
    with transaction.atomic():
        row = (
            EndpointUse.objects.select_for_update()
            .filter(purpose=purpose, ended_at=None, until__gt=now)
            .first()
        )
        if row is None:
            raise UseRefused(f"Nothing is overridden for {purpose}.")
        row.ended_by, row.ended_at = by.username, now
        row.save(update_fields=["ended_by", "ended_at"])
        _note("endpoint.override_ended", row, f"person:{by.username}")


def _note(kind: str, row: EndpointUse, actor: str) -> None:
    payload = {
        "purpose": row.purpose,
        "base_url": row.base_url,
        "model": row.model,
        "drill": row.drill,
        "because": row.because,
    }
    writing.write(kind, payload, actor=actor)


def _demand_administrator(by: User) -> None:
    if not (by.is_active and by.has_perm(Permission.MANAGE_TOOLS)):
        raise UseRefused(f"{by.username} may not: endpoints are let in by administrators.")
