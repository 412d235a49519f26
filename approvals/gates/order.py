"""All gates in their order, and asking them: every one for a page, up to the first that stops for a write."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from approvals.actions import registry
from approvals.actions.base import Hands
from approvals.gates import content, rubric, standing, target
from approvals.gates.base import Gate, Passage, asked
from approvals.models import ActionRequest
from approvals.outcomes import GateSaid
from approvals.states import Answer, Phase

_GRADER_SECONDS = 60.0


GATES: tuple[tuple[str, Gate], ...] = (
    ("write switch", standing.write_switch),
    ("calendar", standing.calendar),
    ("target", standing.target),
    ("precondition", target.precondition),
    ("blast radius", target.blast_radius),
    ("breaker", standing.breaker),
    (rubric.NAME, rubric.ask),
)

# What does not open by itself again, as far as rows of ours tell: no target and no tool is asked.
LASTING: tuple[tuple[str, Gate], ...] = (
    ("write switch", standing.write_switch),
    ("calendar", standing.calendar),
    ("target", standing.unsettled),
    ("blast radius", target.approved_limits),
    ("breaker", standing.breaker),
)


def lasting(request: ActionRequest, now: datetime) -> GateSaid | None:
    """Return the first gate that is shut now and does not open by itself, if any."""
    declared = registry.current()
    first = content.ask(request, declared, Phase.SHOWN, now)
    read, action = content.read(request), declared.actions.get(request.action)
    if first.stops or isinstance(read, str) or action is None:
        return first
    passage = Passage(request, read, action, declared.policy, Phase.SHOWN, now)
    return stopping(tuple(asked(name, gate, passage) for name, gate in LASTING))


def ask_all(
    request: ActionRequest, phase: Phase, *, now: datetime, hands: Callable[[], Hands] | None = None
) -> tuple[GateSaid, ...]:
    """Return what the gates say, in order. Called outside any transaction: targets and tools are asked.

    Where the content is not what was approved, nothing else is asked: its arguments are nobody's.
    """
    declared = registry.current()
    first = content.ask(request, declared, phase, now)
    read = content.read(request)
    action = declared.actions.get(request.action)
    said = [first]
    if isinstance(read, str) or action is None or (first.stops and phase is not Phase.SHOWN):
        return tuple(said)
    passage = Passage(request, read, action, declared.policy, phase, now, hands)
    for name, gate in GATES:
        # The grader is waited for by a bound of its own.
        seconds = _GRADER_SECONDS if name == rubric.NAME else 0.0
        said.append(_by_policy(asked(name, gate, passage, seconds), passage))
        if said[-1].stops and phase is not Phase.SHOWN:
            break
    return tuple(said)


def stopping(said: tuple[GateSaid, ...]) -> GateSaid | None:
    """Return the first answer with which nothing may be executed, if any."""
    return next((each for each in said if each.stops), None)


def _by_policy(said: GateSaid, passage: Passage) -> GateSaid:
    """Only the grader's silence about a low risk may be skipped, in plain sight."""
    is_silent = said.gate == rubric.NAME and said.answer is Answer.COULD_NOT_CHECK
    if is_silent and not passage.risk.rubric_blocks:
        return replace(said, answer=Answer.SKIPPED_BY_POLICY, level="advisory")
    return said
