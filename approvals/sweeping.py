"""What time does to requests: late ones expire, broken ones are unknown, lost messages are sent again."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from approvals import breakers, sending, telling
from approvals.actions import registry
from approvals.models import ActionRequest, Execution
from approvals.moving import Note, end_rollback, move
from approvals.states import State, Verification

ACTOR = "sweeper"
_AGAIN = timedelta(seconds=20)
_MOST = 200


def sweep(now: datetime) -> None:
    """Do all of it. Repeating is safe; each move is conditional on the state that was read."""
    expire(now)
    end_broken(now)
    send_again(now)
    telling.expiring(now)


def expire(now: datetime) -> None:
    """Expire what was not decided, or not executed, in time."""
    late = Q(state=State.PROPOSED, decide_by__lte=now, undoes=None) | Q(
        state=State.APPROVED, execute_by__lte=now
    )
    for request in ActionRequest.objects.filter(late).order_by("pk")[:_MOST]:
        was = "nobody decided it" if request.state == State.PROPOSED else "it was not executed"
        outcome = f"expired: {was} in time" + (f" ({request.outcome})" if request.outcome else "")
        with transaction.atomic():
            note = Note("write.expired", ACTOR, {"outcome": outcome})
            if move(request, State.EXPIRED, note, now=now, where=late, outcome=outcome[:2_000]):
                end_rollback(request, State.EXPIRED, actor=ACTOR, now=now)


def end_broken(now: datetime) -> None:
    """End executions whose lease ran out: aborted where the target was not called yet, else unknown."""
    broken = Execution.objects.select_related("request").filter(
        ended_at=None, lease_until__lte=now, request__state=State.EXECUTING
    )
    for execution in broken.order_by("pk")[:_MOST]:
        _end_broken(execution.pk, now)


def _end_broken(execution_id: int, now: datetime) -> None:
    with transaction.atomic():
        # Locked in the order of the call's own beginning, so that one of the two sees the other.
        number = Execution.objects.values_list("request", flat=True).get(pk=execution_id)
        request = ActionRequest.objects.select_for_update(of=("self",)).get(pk=number)
        execution = Execution.objects.get(pk=execution_id)
        if request.state != State.EXECUTING or execution.ended_at is not None:
            return
        if execution.called_at is None:
            end, outcome = State.ABORTED, "claim: the worker ended before the target was called"
        else:
            end, outcome = State.UNKNOWN, "the worker ended after it began to call the target"
        note = Note(f"write.{end.value}", ACTOR, {"outcome": outcome})
        if not move(request, end, note, now=now, outcome=outcome):
            return
        Execution.objects.filter(pk=execution_id).update(ended_at=now)
        if end is State.ABORTED:
            end_rollback(request, State.EXPIRED, actor=ACTOR, now=now)
    if end is State.UNKNOWN:
        breakers.note(request.action, request.target, registry.current().policy, now)


def send_again(now: datetime) -> None:
    """Wake the execute worker for what waits: bodies to prepare, writes to execute, effects to look for."""
    unsent = Q(sent_at=None) | Q(sent_at__lte=now - _AGAIN)
    waiting = {
        "prepare": Q(
            state=State.PROPOSED, digest="", undoes=None, proposed_at__lte=now - timedelta(seconds=5)
        ),
        "execute": Q(state=State.APPROVED) & (Q(undoes=None) | ~Q(wanted_at=None)),
        "verify": Q(state=State.SUCCEEDED, verification=Verification.NOT_YET, execution__verify_at__lte=now),
    }
    for task, where in waiting.items():
        for number in ActionRequest.objects.filter(unsent & where).values_list("pk", flat=True)[:_MOST]:
            sending.note_sent(number, now)
            sending.now(task, number)
