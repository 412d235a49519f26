"""The entries of a run, read back from the audit log: whatever process wrote them, they all count."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay_core.results import Status
from audit import reading
from investigations.leases import Lease, renew
from investigations.outcomes import BudgetSpent
from investigations.tracing import span_of_tool
from toolbox import gateway, registry, toolrules
from toolbox.called import Called
from toolbox.redaction import Redacted
from toolbox.scope import Budget, CallScope
from verdicts.case import Entry

_FAILED = (Status.ERROR, Status.UNAVAILABLE, Status.REFUSED)


def entries_of(investigation_id: int) -> dict[int, Entry]:
    """Return every tool call of the run by its entry id, those of former attempts too."""
    return {
        called.entry: entry_of(called, investigation_id)
        for called in gateway.entries_of_run(investigation_id)
    }


def redeclared_of(investigation_id: int) -> frozenset[int]:
    """Return the run's calls whose tool is declared otherwise by now: it was another question then."""
    shapes = registry.current().definitions
    return frozenset(
        called.entry
        for called in gateway.entries_of_run(investigation_id)
        if called.tool in shapes and called.definition != shapes[called.tool].digest
    )


def erased_of(investigation_id: int) -> dict[int, str]:
    """Return the leaves of the run's calls whose payload was erased since, by entry id."""
    stored = reading.of_investigation(investigation_id, kind=gateway.KIND)
    return {each.id: each.leaf for each in stored if each.payload is None}


def entry_of(called: Called, investigation_id: int) -> Entry:
    """Return a recorded call as a case holds it."""
    return Entry(
        id=called.entry,
        leaf=called.leaf,
        investigation=investigation_id,
        tool=called.tool,
        arguments=called.arguments,
        status=called.status,
        result=called.result,
        reason=called.reason,
        called_at=called.called_at,
        finished_at=called.finished_at,
        asked_by=called.asked_by,
        covered=called.covered,
    )


class Asker:
    """Asks tools for one attempt of a run: renews the lease before each call and counts the calls."""

    def __init__(self, scope: CallScope, *, lease: Lease | None, limit: int) -> None:
        self._scope = scope
        self._lease = lease
        self._budget = Budget(limit)
        self._limit = limit
        self._last: tuple[int, Redacted] | None = None

    def copy_of(self, entry: int) -> Redacted | None:
        """Return the masked copy of the last answer, if it is this one: nobody has to make it again."""
        return self._last[1] if self._last is not None and self._last[0] == entry else None

    @property
    def caller(self) -> str:
        """In whose name it asks."""
        return self._scope.caller

    def renew(self, seconds: float) -> None:
        """Hold on to the run for as long as a call may take; raise LeaseLost."""
        if self._lease is not None:
            renew(self._lease, seconds)

    def on_behalf_of(self, caller: str) -> "Asker":
        """Return an asker in another name that spends the same budget under the same lease."""
        other = Asker(replace(self._scope, caller=caller), lease=self._lease, limit=self._limit)
        other._budget = self._budget
        return other

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Entry:
        """Return the recorded answer. Raises BudgetSpent and LeaseLost, never for a tool's failure."""
        if not self._budget.take():
            raise BudgetSpent(f"The limit of {self._limit} tool calls was reached (INVESTIGATION_MAX_CALLS).")
        standing = toolrules.standing()
        self.renew(gateway.longest(tool, self.caller, standing=standing))
        with span_of_tool(tool) as span:
            called = gateway.call(tool, arguments, self._scope, standing=standing)
            span.note(assay__entry=called.entry)
            span.ended(called.status.value, is_error=called.status in _FAILED)
            if span.holds_content:
                span.answered(called.arguments, gateway.shown(called).value)
        self._last = (called.entry, called.copied) if called.copied is not None else None
        assert self._scope.investigation is not None  # every asker belongs to a run
        return entry_of(called, self._scope.investigation)
