"""How a request is moved: one conditional UPDATE with its audit entry; a refusal outlives the rollback."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Q

from approvals import telling
from approvals.models import ActionRequest
from approvals.outcomes import MoveRefused
from approvals.states import EDGES, State
from audit import writing

_ENDS = frozenset(State) - {start for start, _ in EDGES}


@dataclass(frozen=True, slots=True)
class Note:
    """What the audit log says of a move."""

    kind: str
    actor: str
    payload: Mapping[str, Any] = field(default_factory=dict)


def write(request: ActionRequest, note: Note) -> int:
    """Write one entry about a request in the caller's transaction and return its id."""
    return writing.write(
        note.kind,
        {"request": request.pk, "action": request.action, "digest": request.digest, **note.payload},
        actor=note.actor,
        incident=request.incident_id,
        investigation=request.investigation_id,
    ).id


def move(
    request: ActionRequest, end: State, note: Note, *, now: datetime, where: Q | None = None, **values: Any
) -> bool:
    """Move a request from the state in which it was read, in the caller's transaction; False: too late.

    The row that was passed in is read again when it moved. A move without an edge is a fault of the caller's.
    """
    start = State(request.state)
    if (start, end) not in EDGES:
        raise MoveRefused(f"Request {request.pk} is {start.value}; nothing leads from there to {end.value}.")
    if end in _ENDS:
        values.setdefault("ended_at", now)
    rows = ActionRequest.objects.filter(pk=request.pk, state=start.value)
    if where is not None:
        rows = rows.filter(where)
    if not rows.update(state=end.value, version=F("version") + 1, **values):
        return False
    request.refresh_from_db()
    write(request, Note(note.kind, note.actor, {"state": end.value, **note.payload}))
    telling.moved(request, end, now)
    return True


def end_rollback(request: ActionRequest, end: State, *, actor: str, now: datetime) -> None:
    """End the rollback of a request that will not be executed, as the request itself ends."""
    child = ActionRequest.objects.filter(undoes=request).first()
    if child is None or (State(child.state), end) not in EDGES:
        return
    outcome = f"with request {request.pk}, which it would have undone"
    move(child, end, Note(f"write.{end.value}", actor, {"because": outcome}), now=now, outcome=outcome)


@contextmanager
def recorded(
    actor: str, what: str, *, request: int | None = None, incident: int | None = None
) -> Iterator[None]:
    """Run in one transaction; a refusal rolls it back, is recorded in its own, and is raised again."""
    try:
        with transaction.atomic():
            yield
    except MoveRefused as refusal:
        with transaction.atomic():
            writing.write(
                "write.move_refused",
                {"what": what, "request": request, "reason": str(refusal)},
                actor=actor,
                incident=incident,
            )
        raise


def found(request_id: int, *, lock: bool = False) -> ActionRequest:
    """Return a request, locked if asked to; raise MoveRefused where there is none."""
    rows = ActionRequest.objects.select_for_update(of=("self",)) if lock else ActionRequest.objects.all()
    request = rows.filter(pk=request_id).first()
    if request is None:
        raise MoveRefused(f"There is no request {request_id}.")
    return request
