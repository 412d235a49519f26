"""What people do after a write: settle one that nobody knows of, and ask for a rollback."""

from datetime import datetime

from accounts.models import User
from accounts.permissions import Permission
from approvals import sending
from approvals.models import ActionRequest, Execution
from approvals.moving import Note, found, move, recorded, write
from approvals.outcomes import MoveRefused
from approvals.quorum import sees
from approvals.states import State

_SETTLED = {"succeeded": State.SUCCEEDED, "failed": State.FAILED}


def settle(request_id: int, outcome: str, *, person: User, because: str, now: datetime) -> ActionRequest:
    """Say what became of an unknown write; its target is free again. Raises MoveRefused, recorded."""
    with recorded(person.actor, f"settle as {outcome[:20]}", request=request_id):
        request = found(request_id, lock=True)
        _refuse(person, request, because)
        end = _SETTLED.get(outcome)
        if end is None:
            raise MoveRefused("Settle it as succeeded or as failed.")
        if request.state != State.UNKNOWN:
            raise MoveRefused(f"Request {request.pk} is {request.state}: only an unknown one is settled.")
        words = because.strip()
        note = Note("write.settled", person.actor, {"because": words})
        if not move(request, end, note, now=now, outcome=f"settled by {person}: {words}"):
            raise MoveRefused(f"Request {request.pk} was settled meanwhile.")
        Execution.objects.filter(request=request).update(
            settled_by=person.actor, settled_because=words, ended_at=now, verify_at=now
        )
    if end is State.SUCCEEDED:
        sending.now("verify", request.pk)
    return request


def roll_back(request_id: int, *, person: User, because: str, now: datetime) -> ActionRequest:
    """Have the rollback executed that was approved with a request. Raises MoveRefused, recorded.

    It passes the same gates as any write. The rollback of an unknown write is not to be had.
    """
    with recorded(person.actor, "roll back", request=request_id):
        request = found(request_id, lock=True)
        _refuse(person, request, because)
        child = ActionRequest.objects.select_for_update(of=("self",)).filter(undoes=request).first()
        if child is None:
            raise MoveRefused("No rollback was approved with this request: propose a new one.")
        if request.state != State.SUCCEEDED:
            raise MoveRefused(f"Request {request.pk} is {request.state}: there is nothing to roll back.")
        if child.state != State.APPROVED or child.wanted_at is not None:
            raise MoveRefused(f"Its rollback is {child.state} already, or was asked for.")
        if child.execute_by is None or now >= child.execute_by:
            raise MoveRefused("The time for its rollback is over: propose a new request.")
        rows = ActionRequest.objects.filter(pk=child.pk, state=State.APPROVED, wanted_at=None)
        rows.update(wanted_at=now, wanted_by=person.actor)
        write(
            child, Note("rollback.wanted", person.actor, {"because": because.strip(), "undoes": request.pk})
        )
        child.refresh_from_db()
    sending.now("execute", child.pk)
    return child


def _refuse(person: User, request: ActionRequest, because: str) -> None:
    if not person.is_active or not person.has_perm(Permission.APPROVE_WRITES):
        raise MoveRefused("Writes are looked after by on-call people, managers and administrators.")
    if not sees(person, request):
        raise MoveRefused("This request belongs to a team that you are not in.")
    if not 10 <= len(because.strip()) <= 2_000:
        raise MoveRefused("Say why, or what you saw, in 10 to 2000 characters.")
