"""What a gate is given, and the one place where a gate's own fault becomes `could_not_check`."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from approvals import bounded
from approvals.actions.base import Action, CouldNotCheck, Hands, Observed
from approvals.digesting import Content
from approvals.models import ActionRequest
from approvals.outcomes import GateSaid, could_not_check
from approvals.policy import Policy, RiskPolicy
from approvals.states import Phase

SECONDS = 20.0  # for one gate: all of them together are to fit into a lease
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Passage:
    """One request on its way through the gates. `hands` opens the write credential where there is one."""

    request: ActionRequest
    content: Content
    action: Action
    policy: Policy
    phase: Phase
    now: datetime
    hands: Callable[[], Hands] | None = None

    @property
    def risk(self) -> RiskPolicy:
        """What the policy asks of this request's risk."""
        return self.policy.of(self.request.risk)

    @cached_property
    def observed(self) -> Observed:
        """The target, read once for all gates of this passage. Raises CouldNotCheck."""
        return self.action.observe(self.content.arguments)


Gate = Callable[[Passage], GateSaid]


def asked(name: str, gate: Gate, passage: Passage, seconds: float = 0.0) -> GateSaid:
    """Ask one gate for at most so long; whatever goes wrong in it is an answer that blocks."""
    try:
        with bounded.within(seconds or SECONDS):
            return gate(passage)
    except CouldNotCheck as error:
        return could_not_check(name, str(error))
    except Exception as error:  # noqa: BLE001 a fault in a gate must block, never pass
        _log.exception("the gate %s could not check request %s", name, passage.request.pk)
        return could_not_check(
            name, f"the check itself failed ({type(error).__name__}): see the worker's log"
        )
