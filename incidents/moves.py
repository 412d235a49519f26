"""How an incident is moved: one conditional UPDATE with its audit entry; a refusal outlives the rollback."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from audit import writing
from incidents import telling
from incidents.models import Incident
from incidents.states import MOVES, Move, State


class MoveRefused(Exception):
    """A move was refused; the message is a sentence for the person, and it is in the audit log."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who wants which move on which incident, as the page showed it (`version` None: not from a form)."""

    move: Move
    incident: int
    actor: str
    now: datetime
    version: int | None = None


_KINDS: Mapping[Move, str] = {
    Move.TAKE: "incident.taken",
    Move.JUDGE: "incident.judged",
    Move.GIVE_UP: "incident.given_up",
    Move.CLOSE: "incident.closed",
    Move.REOPEN: "incident.reopened",
    Move.ACKNOWLEDGE: "incident.acknowledged",
    Move.ASSIGN: "incident.assigned",
    Move.ASK: "incident.asked",
    Move.INVESTIGATE: "incident.sent_again",
    Move.REFUTE: "incident.refuted",
    Move.WITHDRAW: "incident.refutation_withdrawn",
    Move.IDENTIFY: "incident.identified",
    Move.OVERTAKE: "incident.overtaken",
    Move.EDIT: "draft.edited",
    Move.SNOOZE: "incident.snoozed",
    Move.WAKE: "incident.woken",
    Move.GRADE: "incident.graded",
    Move.UNDO: "incident.undone",
}


@contextmanager
def transaction_of(asked: Asked) -> Iterator[None]:
    """Run a move in one transaction; a refusal rolls it back, is recorded in its own, and is raised again."""
    try:
        with transaction.atomic():
            yield
    except MoveRefused as refusal:
        with transaction.atomic():
            writing.write(
                "move.refused",
                {"move": asked.move.value, "incident": asked.incident, "reason": str(refusal)},
                actor=asked.actor,
                incident=_known(asked.incident),
            )
        raise


def make(asked: Asked, payload: Mapping[str, Any], **values: Any) -> int:
    """Make a move inside the caller's transaction and return how many rows it moved: 1 or 0.

    The state, and the version where a form sent one, are conditions of the UPDATE itself.
    """
    starts, end = MOVES[asked.move]
    rows = Incident.objects.filter(pk=asked.incident, state__in=starts)
    if asked.version is not None:
        rows = rows.filter(version=asked.version)
    if end is not None:
        values["state"] = end
    moved = rows.update(version=F("version") + 1, **values)
    if moved:
        writing.write(
            _KINDS[asked.move],
            {"state": end.value if end else None, **payload},
            actor=asked.actor,
            incident=asked.incident,
        )
        telling.after(asked.move, asked.incident, values, asked.now)
    return moved


def make_or_refuse(asked: Asked, payload: Mapping[str, Any], **values: Any) -> Incident:
    """Make a move inside the caller's transaction, or raise MoveRefused with the reason in words."""
    if not make(asked, payload, **values):
        raise MoveRefused(why_not(asked))
    return Incident.objects.select_related("source").get(pk=asked.incident)


def why_not(asked: Asked) -> str:
    """Return why the move is not to be had, looking at the incident as it is now."""
    incident = Incident.objects.filter(pk=asked.incident).first()
    if incident is None:
        return f"There is no incident {asked.incident}."
    starts, _ = MOVES[asked.move]
    state = State(incident.state)
    if state not in starts:
        accepted = " or ".join(sorted(start.value for start in starts))
        return (
            f"Incident {incident.pk} is {state.value}; to {_words(asked.move)} it has to be {accepted}. "
            "Load the page again to see what happened."
        )
    return (
        f"Incident {incident.pk} has changed since this page was loaded. "
        "Look at what is new, then decide again."
    )


def _words(move: Move) -> str:
    return move.value.replace("_", " ")


def _known(incident_id: int) -> int | None:
    return incident_id if Incident.objects.filter(pk=incident_id).exists() else None
