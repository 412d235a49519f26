"""What is done with action requests, by people and by investigators. Every page, API and task calls these."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from accounts.models import User
from accounts.stepup import StepUp
from approvals import breakers, breakglass, deciding, freezes, proposing, settling, switch
from approvals.actions import registry
from approvals.actions.base import Proposal
from approvals.deciding import Given
from approvals.gates import order
from approvals.models import ActionRequest, Breaker, BreakGlass, Freeze, WriteSwitch
from approvals.outcomes import DecisionRefused, GateSaid, MoveRefused, ProposalRefused, Proposer
from approvals.proposing import About
from approvals.states import Phase

__all__ = ["DecisionRefused", "GateSaid", "MoveRefused", "ProposalRefused", "Proposer"]


def propose(
    proposal: Proposal,
    *,
    by: Proposer,
    incident: int | None,
    investigation: int | None,
    cites: Sequence[int],
    team: int | None = None,
    now: datetime,
) -> ActionRequest:
    """File a proposed write. It can be decided once the execute worker has prepared it (`prepared_at`).

    An equal open proposal is returned as it is. Raises ProposalRefused, recorded, for an unknown action,
    arguments that its schema refuses, a call that was denied in this run, or too many open ones of a team.
    """
    about = About(incident, investigation, team, cites)
    return proposing.propose(proposal, by=by, about=about, now=now)


def edit(
    request: ActionRequest, arguments: Mapping[str, Any], *, by: User, why: str, now: datetime
) -> ActionRequest:
    """Withdraw a proposed request and return the new one, which its editor may not decide."""
    return proposing.edit(request, arguments, by=by, why=why, now=now)


def withdraw(request_id: int, *, by: User, because: str, now: datetime) -> ActionRequest:
    """Take a proposed request back. Raises MoveRefused, recorded."""
    return proposing.withdraw(request_id, by=by, because=because, now=now)


def decide(
    request_id: int,
    *,
    person: User,
    choice: str,
    reason: str,
    digest: str,
    stepup: StepUp | None,
    opened_at: datetime | None,
    now: datetime,
) -> ActionRequest:
    """Record one person's decision on exactly what they were shown; the quorum approves, one deny ends it.

    Raises DecisionRefused, recorded in its own transaction.
    """
    given = Given(person, choice, reason, digest, stepup, opened_at)
    return deciding.decide(request_id, given, now=now)


def can_decide(person: User, request: ActionRequest, stepup: StepUp | None, now: datetime) -> str:
    """Return why Approve is disabled for this person, in words; "" when it is not."""
    return deciding.can_decide(person, request, stepup, now)


def can_deny(person: User, request: ActionRequest, now: datetime) -> str:
    """Return why Deny is disabled for this person, in words; "" when it is not."""
    return deciding.can_deny(person, request, now)


def credentials_of(request: ActionRequest) -> list[str]:
    """Return the names of the write credentials that a request and its rollback need."""
    return deciding.credentials_of(request)


def gates_now(request: ActionRequest, now: datetime) -> tuple[GateSaid, ...]:
    """Return what each gate would answer now, in order. Called outside any transaction: tools are asked."""
    return order.ask_all(request, Phase.SHOWN, now=now)


def flip_switch(scope: str, on: bool, *, person: User, because: str, now: datetime) -> WriteSwitch:
    """Switch writes off at once; on only when a second person asks for what a first one has asked for.

    `scope` is global, team:ID or action:NAME. A returned row that is still off with `wanted_by` set waits for
    the second person. Raises MoveRefused, recorded.
    """
    return switch.flip(scope, on, person=person, because=because, now=now)


def close_breaker(breaker_id: int, *, person: User, because: str, now: datetime) -> Breaker:
    """Close an open circuit breaker, by name. Raises MoveRefused, recorded."""
    return breakers.close(breaker_id, person=person, because=because, now=now)


def make_freeze(
    title: str, scope: str, window: tuple[datetime, datetime], *, person: User, now: datetime
) -> Freeze:
    """Put a window into the change calendar in which nothing is executed in the scope. Raises MoveRefused."""
    return freezes.make(title, scope, window, person=person, now=now)


def end_freeze(freeze_id: int, *, person: User, because: str, now: datetime) -> Freeze:
    """End a freeze; somebody else than who made it must. Raises MoveRefused, recorded."""
    return freezes.end(freeze_id, person=person, because=because, now=now)


def except_from_freeze(freeze_id: int, request_id: int, *, person: User, because: str, now: datetime) -> None:
    """Let one request through one freeze, by name; not one's own nor one that one decided. MoveRefused."""
    freezes.let_through(freeze_id, request_id, person=person, because=because, now=now)


def break_glass(*, person: User, reason: str, stepup: StepUp | None, now: datetime) -> BreakGlass:
    """Let a named holder decide alone for one hour; everybody hears of it. Raises MoveRefused, recorded."""
    policy = registry.current().policy
    return breakglass.break_it(person=person, reason=reason, stepup=stepup, policy=policy, now=now)


def review_glass(glass_id: int, *, person: User, review: str, now: datetime) -> BreakGlass:
    """Close the review of a broken glass; its holder cannot. Raises MoveRefused, recorded."""
    return breakglass.review(glass_id, person=person, words=review, now=now)


def roll_back(request_id: int, *, person: User, because: str, now: datetime) -> ActionRequest:
    """Have the approved rollback of an executed request executed. Raises MoveRefused, recorded."""
    return settling.roll_back(request_id, person=person, because=because, now=now)


def settle(request_id: int, outcome: str, *, person: User, because: str, now: datetime) -> ActionRequest:
    """Say what became of an unknown write: succeeded or failed. Raises MoveRefused, recorded."""
    return settling.settle(request_id, outcome, person=person, because=because, now=now)


def is_proposed_by_run(investigation: int) -> bool:
    """Whether a run has proposed something already."""
    return ActionRequest.objects.filter(investigation_id=investigation).exists()


def take_proposals(
    proposals: Sequence[Proposal],
    *,
    by: Proposer,
    incident: int,
    investigation: int,
    team: int | None,
    now: datetime,
) -> list[ActionRequest]:
    """File what a run proposed, in the caller's transaction. One that is refused is recorded and left out."""
    return proposing.take(proposals, by=by, about=About(incident, investigation, team, ()), now=now)
