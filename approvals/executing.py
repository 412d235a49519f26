"""How an approved write is executed: gates, claim, gates again, one call, its result. Never twice.

A gate that stops before the claim ends the request as refused; after it and before the call as aborted.
Whatever is not known after the call is unknown, and a person settles it.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction

from approvals import breakers, claiming, hands, sending
from approvals.actions import registry
from approvals.actions.base import Action, ActionFailed, Hands, Observed
from approvals.claiming import ACTOR, NotClaimed
from approvals.digesting import Content, content_of
from approvals.gates import order, target
from approvals.jcs import NotDigestible, text_of
from approvals.models import ActionRequest, Execution, GateAnswer
from approvals.moving import Note, end_rollback, move, write
from approvals.outcomes import GateSaid
from approvals.states import Phase, State
from toolbox import redaction

_log = logging.getLogger(__name__)
_LONGEST = 20_000
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Told:
    """What became of the one call to the target."""

    state: State
    outcome: str
    result: str = ""


def execute(request_id: int, *, clock: Clock) -> ActionRequest | None:
    """Execute one approved request, outside any transaction. Any number of calls makes one write at most.

    Returns the request as this call left it, or None where there was nothing for it to do.
    """
    request = ActionRequest.objects.filter(pk=request_id).first()
    if request is None or not _is_due(request):
        return None
    said = order.ask_all(request, Phase.BEFORE_CLAIM, now=clock(), hands=_hands(request))
    stopping = order.stopping(said)
    if stopping is not None:
        return _refuse(request, said, stopping.outcome, clock())
    content = content_of(request.body)
    policy = registry.current().policy
    _keep(request, Phase.BEFORE_CLAIM, said, clock())
    try:
        execution = claiming.claim(request, content, lease_seconds=policy.lease_seconds, now=clock())
    except NotClaimed as lost:
        return _refuse(request, (), str(lost), clock()) if str(lost) else None
    return claimed(request, execution, content, clock)


def _is_due(request: ActionRequest) -> bool:
    """Whether a request waits for its execution; one whose state cannot be read is put on record."""
    if request.state not in list(State):
        with transaction.atomic():
            because = f"digest: superseded: its state reads {request.state!r}, which is none"
            write(request, Note("write.not_executed", ACTOR, {"because": because}))
            ActionRequest.objects.filter(pk=request.pk).update(outcome=because)
        return False
    return request.state == State.APPROVED and (request.undoes_id is None or request.wanted_at is not None)


def claimed(request: ActionRequest, execution: Execution, content: Content, clock: Clock) -> ActionRequest:
    """Ask the gates once more, call the target, and store how it ended."""
    said = order.ask_all(request, Phase.BEFORE_CALL, now=clock(), hands=_hands(request))
    _keep(request, Phase.BEFORE_CALL, said, clock())
    stopping = order.stopping(said)
    if stopping is not None:
        return _end(request, execution, Told(State.ABORTED, stopping.outcome), clock)
    action = registry.current().actions[content.action]
    try:
        opened = hands.opened(action.credential)
    except Exception as error:  # noqa: BLE001 nothing was called yet, whatever it is
        return _end(request, execution, Told(State.ABORTED, f"credential: {_named(error)}"), clock)
    stopped = claiming.begin_call(execution, now=clock())
    if stopped:
        return _end(request, execution, Told(State.ABORTED, stopped), clock)
    told = _call(action, content.arguments, _left(request, content), opened, key=execution.key)
    return _end(request, execution, told, clock)


def _left(request: ActionRequest, content: Content) -> Observed:
    """Return the target as it has to be at the call; before a rollback, as the write left it."""
    if request.undoes_id is None:
        return content.observed
    return Observed(target.left_by(request.undoes_id), content.observed.state)


def _call(
    action: Action, arguments: Mapping[str, Any], observed: Observed, opened: Hands, *, key: str
) -> Told:
    """Call the target once. What is neither a clear yes nor a clear no is unknown."""
    try:
        result = action.execute(arguments, observed, opened, key)
    except ActionFailed as error:
        return Told(State.FAILED, f"the target refused: {_named(error)}")
    except Exception as error:  # noqa: BLE001 the write may have happened, whatever it is
        _log.exception("the outcome of %s is unknown", action.name)
        return Told(State.UNKNOWN, f"nobody knows whether it happened: {_named(error)}")
    return Told(State.SUCCEEDED, "the target says that it is done", _text(result))


def _end(request: ActionRequest, execution: Execution, told: Told, clock: Clock) -> ActionRequest:
    """Store how it ended, with its entry. Where that cannot be stored, the lease makes it unknown."""
    now = clock()
    policy = registry.current().policy
    with transaction.atomic(durable=True):
        note = Note(f"write.{told.state.value}", ACTOR, {"outcome": told.outcome, "result": told.result})
        if not move(request, told.state, note, now=now, outcome=told.outcome[:2_000]):
            late = Note("write.ended_late", ACTOR, {**note.payload, "state": told.state.value})
            write(request, late)
            return request
        values: dict[str, Any] = {"ended_at": now, "result": told.result}
        if told.state in (State.SUCCEEDED, State.FAILED):
            values["verify_at"] = now + timedelta(seconds=_settles(request))
        Execution.objects.filter(pk=execution.pk).update(**values)
        if told.state is State.ABORTED:
            end_rollback(request, State.EXPIRED, actor=ACTOR, now=now)
    if told.state in (State.FAILED, State.UNKNOWN):
        breakers.note(request.action, request.target, policy, now)
    if told.state is State.SUCCEEDED:
        sending.later("verify", request.pk, _settles(request))
    return request


def _settles(request: ActionRequest) -> float:
    check = content_of(request.body).verify
    return check.settle_seconds if check else 0.0


def _refuse(
    request: ActionRequest, said: tuple[GateSaid, ...], outcome: str, now: datetime
) -> ActionRequest | None:
    with transaction.atomic():
        _keep(request, Phase.BEFORE_CLAIM, said, now)
        note = Note("write.refused", ACTOR, {"outcome": outcome})
        if not move(request, State.REFUSED, note, now=now, outcome=outcome[:2_000]):
            return None
        end_rollback(request, State.EXPIRED, actor=ACTOR, now=now)
    return request


def _keep(request: ActionRequest, phase: Phase, said: tuple[GateSaid, ...], now: datetime) -> None:
    """Record what the gates said, as rows and as one entry."""
    if not said:
        return
    with transaction.atomic():
        GateAnswer.objects.bulk_create(
            GateAnswer(
                request=request, phase=phase, place=place, gate=each.gate, answer=each.answer,
                sentence=each.sentence, at=now,
            )
            for place, each in enumerate(said, 1)
        )  # fmt: skip
        answers = [[each.gate, each.answer.value, each.sentence] for each in said]
        write(request, Note("gates.asked", ACTOR, {"phase": phase.value, "answers": answers}))


def _hands(request: ActionRequest) -> Callable[[], Hands]:
    action = registry.current().actions.get(request.action)
    return partial(hands.opened, action.credential if action else "")


def _named(error: Exception) -> str:
    """An exception's words may quote what a target sent; secrets in it are masked."""
    return redaction.text(redaction.cut(f"{error}", 500)) or type(error).__name__


def _text(result: Mapping[str, Any]) -> str:
    try:
        text = text_of(dict(result))
    except (NotDigestible, TypeError, ValueError):
        text = str(result)
    return redaction.text(redaction.cut(text, _LONGEST))
