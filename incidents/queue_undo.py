"""One act on many rows of the queue, each in a transaction of its own; all of it taken back soon after."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils.dateparse import parse_datetime

from accounts.models import User
from accounts.services import actor_name
from incidents import moves
from incidents.models import Incident, Override, QueueAct, Resolution
from incidents.moves import Asked, MoveRefused
from incidents.states import Move, State
from investigations.models import Investigation
from investigations.states import OPEN

#: A person is offered ten seconds; one more is for the way to the server.
OFFERED = timedelta(seconds=10)
_ACCEPTED = timedelta(seconds=11)
_KEPT = timedelta(days=1)
MOST = 100
_COLUMNS = ("state", "severity", "assignee_id", "acknowledged_at", "snoozed_until", "closed_at")
_TIMES = ("acknowledged_at", "snoozed_until", "closed_at")

# Incident, the version that the page showed.
Row = tuple[int, int]
OneMove = Callable[[int, int], Incident]


@dataclass(frozen=True, slots=True)
class Done:
    """How an act on rows ended: what may be taken back, how many were moved, and why others were not."""

    act: QueueAct | None
    moved: int
    refusals: Sequence[str]


def each(rows: Sequence[Row], move: OneMove, *, act: str, by: User, now: datetime) -> Done:
    """Make one move on every row, whatever becomes of the others; remember how the moved ones were."""
    before = {row["pk"]: row for row in Incident.objects.filter(pk__in=dict(rows)).values("pk", *_COLUMNS)}
    kept, refusals = [], []
    for number, version in rows[:MOST]:
        try:
            moved = move(number, version)
        except MoveRefused as refusal:
            refusals.append(str(refusal))
        else:
            # The move was made on this version alone, which these columns belong to.
            kept.append({"incident": number, "version": moved.version, "before": _plain(before[number])})
    if len(rows) > MOST:
        refusals.append(f"{len(rows) - MOST} more were left as they are: {MOST} are the most at once.")
    if not kept:
        return Done(None, 0, refusals)
    words = f"{act} {len(kept)}"
    return Done(QueueAct.objects.create(by=by, act=act, words=words, rows=kept, at=now), len(kept), refusals)


def offered(number: int, *, by: User, now: datetime) -> QueueAct | None:
    """Return the act where this person may still take it back."""
    return QueueAct.objects.filter(pk=number, by=by, undone_at=None, at__gt=now - OFFERED).first()


def undo(number: int, *, by: User, now: datetime) -> Done:
    """Take an act back, row by row; what was changed since stays. Raises MoveRefused."""
    taken = QueueAct.objects.filter(pk=number, by=by, undone_at=None, at__gt=now - _ACCEPTED)
    if not taken.update(undone_at=now):
        raise MoveRefused("It is too late to take that back, or it was taken back already. Look at the rows.")
    act = QueueAct.objects.get(pk=number)
    moved, refusals = 0, []
    for row in act.rows:
        try:
            _undo_one(act, row, by, now)
        except MoveRefused as refusal:
            refusals.append(str(refusal))
        else:
            moved += 1
    return Done(None, moved, refusals)


def forget(now: datetime) -> None:
    """Delete what nobody can take back any more."""
    QueueAct.objects.filter(at__lt=now - _KEPT).delete()


def _undo_one(act: QueueAct, row: Mapping[str, Any], by: User, now: datetime) -> None:
    number = row["incident"]
    asked = Asked(Move.UNDO, number, actor_name(by), now, row["version"])
    with moves.transaction_of(asked):
        values = {name: row["before"][name] for name in _COLUMNS}
        values |= {name: parse_datetime(values[name]) if values[name] else None for name in _TIMES}
        values["state"] = _state(number, values["state"])
        try:
            with transaction.atomic():
                if act.act == "close":  # the closing counts nowhere: the audit log still has it
                    Override.objects.filter(incident=number, resolution__created_at=act.at).delete()
                    Resolution.objects.filter(incident=number, by=by, created_at=act.at).delete()
                moves.make_or_refuse(asked, {"undone": act.act}, **values)
        except (IntegrityError, ProtectedError):
            raise MoveRefused(
                f"Incident {number} stays as it is: something new builds on that. Open it to see what."
            ) from None


def _state(number: int, before: str) -> str:
    """A run that ended while its incident was closed left no verdict: then a person looks."""
    if before in (State.OPEN, State.INVESTIGATING):
        runs = Investigation.objects.filter(incident_id=number, state__in=OPEN)
        return before if runs.exists() else State.REVIEW.value
    return before


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name].isoformat() if name in _TIMES and row[name] else row[name] for name in _COLUMNS}
