"""Which incidents and deliveries a person sees, and what stands beside one of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Window

from accounts.models import User
from accounts.permissions import Permission
from assay_core.numbers import MAX_ID
from audit import reading
from incidents.acts import act_in_words
from incidents.models import (
    Delivery,
    DraftEdit,
    Identifier,
    Incident,
    Note,
    Opening,
    PassAudit,
    Resolution,
    Signal,
    Source,
)
from incidents.states import Effect, Event
from investigations.models import Question
from investigations.rowlists import listed, read

SIGNALS_SHOWN, NOTES_SHOWN, _LATER = 50, 100, 10
_RECORDED = (Effect.OPENED, Effect.RECOVERED, Effect.REFIRED)


@dataclass(frozen=True, slots=True)
class TimelineLine:
    """One act of a person, an agent or the system, as its audit entry tells it."""

    entry: int | None  # None for a signal that has none of its own
    at: datetime
    actor: str
    by: str  # person | agent | system | signal
    kind: str
    words: str
    payload: dict[str, Any] | None


def visible_incidents(user: User) -> QuerySet[Incident]:
    """Return the incidents of the person's teams and those of no team; all where the role sees all."""
    return Incident.objects.filter(_of_teams(user, "team"))


def visible_deliveries(user: User) -> QuerySet[Delivery]:
    """Return the deliveries of sources whose incidents the person sees."""
    return Delivery.objects.filter(_of_teams(user, "source__team"))


def visible_sources(user: User) -> QuerySet[Source]:
    """Return the sources whose incidents the person sees."""
    return Source.objects.filter(_of_teams(user, "team"))


def incident(user: User, number: int) -> Incident | None:
    """Return one incident with what its page names, or None where the person may not know of it."""
    if number > MAX_ID:
        return None
    return (
        visible_incidents(user)
        .select_related("source", "team", "assignee", "previous")
        .annotate(**_parts(user))
        .filter(pk=number)
        .first()
    )


def has(incident: Incident, part: str) -> bool:
    """Say whether there is anything to read of a part: most incidents have few, and nobody asks for the rest.

    One that `incident` did not return may have any.
    """
    return bool(getattr(incident, f"has_{part}", True))


def _parts(user: User) -> dict[str, Exists | ArraySubquery]:
    """What the page reads of other tables, by one question: short lists whole, of the rest whether it is."""
    own, seen = OuterRef("pk"), visible_incidents(user)
    return {
        "has_edits": Exists(DraftEdit.objects.filter(incident=own)),
        "has_audit": Exists(PassAudit.objects.filter(incident=own, reviewer=user, answered_at=None)),
        "has_opening": Exists(Opening.objects.filter(incident=own)),
        "has_questions": Exists(Question.objects.filter(incident_id=own)),
        "sees_previous": Exists(seen.filter(pk=OuterRef("previous_id"))),
        "read_later": listed(seen.filter(previous=own).order_by("pk")[:_LATER]),
        "read_found": listed(Identifier.objects.filter(incident=own)),
        "read_closings": listed(Resolution.objects.filter(incident=own).order_by("-pk"), "by"),
        "read_notes": listed(Note.objects.filter(incident=own).order_by("-pk")[:NOTES_SHOWN], "by"),
    }


def can_see(user: User, incident_id: int | None) -> bool:
    """Say whether an entry of this incident may be shown; one of no incident is for who sees every team."""
    if incident_id is None:
        return user.has_perm(Permission.SEE_EVERY_TEAM)
    return visible_incidents(user).filter(pk=incident_id).exists()


def signals(incident: Incident) -> tuple[Sequence[Signal], int]:
    """Return the newest signals, newest first, and how many older ones are not among them."""
    every = Window(Count("pk"))
    newest = list(incident.signals.annotate(every=every).order_by("-received_at", "-pk")[:SIGNALS_SHOWN])
    return newest, newest[0].every - len(newest) if newest else 0


def resolutions(incident: Incident) -> Sequence[Resolution]:
    """Return every closing of the incident, the last one first."""
    if hasattr(incident, "read_closings"):
        return read(Resolution, incident.read_closings)
    return list(incident.resolutions.select_related("by").order_by("-pk"))


def notes(incident: Incident) -> list[Note]:
    """Return the last notes on an incident, the oldest of them first."""
    if hasattr(incident, "read_notes"):
        return read(Note, incident.read_notes)[::-1]
    rows = Note.objects.filter(incident=incident).select_related("by").order_by("-pk")[:NOTES_SHOWN]
    return list(reversed(rows))


def chain(user: User, incident: Incident) -> tuple[Incident | None, Sequence[Incident]]:
    """Return the incident before and those after it under the same key, as far as the person sees them."""
    if hasattr(incident, "read_later"):
        before = incident.previous if getattr(incident, "sees_previous", False) else None
        return before, read(Incident, incident.read_later)
    seen = visible_incidents(user)
    before = seen.filter(pk=incident.previous_id).first() if incident.previous_id else None
    return before, list(seen.filter(previous=incident).order_by("pk")[:_LATER])


def timeline(incident_id: int, signals: Sequence[Signal] = ()) -> tuple[TimelineLine, ...]:
    """Return all that was done about the incident, in order: from the audit log, and the given signals.

    A signal whose effect has an entry of its own is not told twice.
    """
    told = (
        TimelineLine(
            entry=entry.id,
            at=entry.recorded_at,
            actor=entry.actor,
            by=_kind_of_actor(entry.actor),
            kind=entry.kind,
            words=act_in_words(entry.kind, entry.payload or {}),
            payload=entry.payload,
        )
        for entry in reading.of_incident(incident_id)
    )
    heard = (_heard(signal) for signal in signals if signal.effect not in _RECORDED)
    return tuple(sorted((*told, *heard), key=lambda line: (line.at, line.entry or 0)))


def _heard(signal: Signal) -> TimelineLine:
    words = f"sent the alert again: {signal.event}" if signal.event != Event.COMMENT else "sent a comment"
    if signal.effect in (Effect.STALE, Effect.RESOLVED_ONLY):
        words = f"sent {signal.event}, too late to count"
    return TimelineLine(None, signal.received_at, "the sender", "signal", "signal.received", words, None)


def _of_teams(user: User, path: str) -> Q:
    if user.has_perm(Permission.SEE_EVERY_TEAM):
        return Q()
    return Q(**{f"{path}__isnull": True}) | Q(**{f"{path}__in": user.teams.all()})


def _kind_of_actor(actor: str) -> str:
    if actor.startswith("person:"):
        return "person"
    if actor.startswith(("playbook", "model", "external", "rule", "critic", "agent", "token:")):
        return "agent"
    return "system"
