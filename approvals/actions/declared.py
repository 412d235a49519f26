"""The base of actions that a deployment declares in its file: reads, checks and undoing are the file's."""

from collections.abc import Mapping
from typing import Any

from approvals.actions import reads
from approvals.actions.base import Check, Observed, Proposal
from approvals.actions.reads import Common
from approvals.states import Risk


class DeclaredAction:
    """What is the same for every declared action. What it does to the target is its subclass's."""

    name: str
    title: str
    risk: Risk
    is_reversible: bool
    credential: str
    arguments: Mapping[str, Any]

    def __init__(self, common: Common) -> None:
        self.name, self.title, self.risk = common.name, common.title, common.risk
        self.credential, self.arguments = common.credential, common.arguments
        self.is_reversible = common.reads.undo is not None
        self._common, self._reads = common, common.reads

    def target(self, arguments: Mapping[str, Any]) -> str:
        """Return what is locked while the write runs."""
        return reads.named(self._common.target, arguments)

    def observe(self, arguments: Mapping[str, Any]) -> Observed:
        """Read the target by its tool. Raises CouldNotCheck."""
        return self._reads.observed(arguments)

    def precondition(self, arguments: Mapping[str, Any], observed: Observed) -> str:
        """Return which requirement does not hold."""
        return self._reads.unmet(arguments, observed)

    def verify(self, arguments: Mapping[str, Any], observed: Observed) -> Check | None:
        """Return how the effect is looked for."""
        return self._reads.looked_for(arguments)

    def rollback(self, arguments: Mapping[str, Any], observed: Observed) -> Proposal | None:
        """Return the declared action that undoes it."""
        return self._reads.undone(arguments, observed)
