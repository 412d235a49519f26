"""What a model's run stands in: where its answers come from, where its steps are kept, what time it is.

In production that is a row of an investigation, held by a lease, with the gateway behind it. A run that is
repeated for comparison stands in something else and goes through the very same code.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol

from django.conf import settings
from django.utils import timezone

from investigations import endpoints, guardrows, judging, leases, models, offering, steps
from investigations.budget import Budget, Limits
from investigations.conversation import Notebook
from investigations.critic import Review
from investigations.evidence import Asker, entries_of, redeclared_of
from investigations.leases import Lease
from investigations.marking import inert
from investigations.named import Endpoint
from investigations.rubric import Evaluation, Rubric
from investigations.states import Purpose
from investigations.talk import Model, ToolOffer
from toolbox.redaction import Redacted
from toolbox.scope import CallScope
from verdicts.case import Entry, Finding, Submission
from verdicts.frozen import Frozen


class Asks(Protocol):
    """Puts questions to tools in one name, as often as its limit lets it."""

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Entry:
        """Return the recorded answer. Raises BudgetSpent and LeaseLost, never for a tool's failure."""

    def copy_of(self, entry: int) -> Redacted | None:
        """Return the masked copy of the last answer, if it is this one."""

    def on_behalf_of(self, caller: str) -> "Asks":
        """Return an asker in another name that spends the same budget."""


class HoldingNotebook(Notebook, Protocol):
    """A notebook that says what was true when it kept its last step.

    `holds`: that step holds the run for as long as an exchange may take. `is_spoken_to`: a note may wait that
    the model was not told.
    """

    holds: bool
    is_spoken_to: bool


class Surroundings(Protocol):
    """All that a model's run reaches beyond its own words. What loses the run raises LeaseLost."""

    @property
    def rubric(self) -> str:
        """What its draft is graded by; empty where nothing is."""

    def now(self) -> datetime:
        """Return what time it is where the run takes place."""

    def entries(self) -> dict[int, Entry]:
        """Return every recorded answer of the run, by its number."""

    def redeclared(self) -> frozenset[int]:
        """Return the answers whose tool is declared otherwise by now."""

    def freeze(self, submission: Submission, added: tuple[Finding, ...]) -> Frozen:
        """Return the case as it stands now."""

    def budget(self, limits: Limits) -> Budget:
        """Return what the run may still spend."""

    def place(self, purpose: Purpose) -> Endpoint:
        """Return the endpoint that serves a purpose. Raises EndpointRefused."""

    def model(self, purpose: Purpose) -> Model:
        """Return the model that serves a purpose. Raises EndpointRefused."""

    def notebook(self, seconds: float) -> HoldingNotebook:
        """Return where the run's steps are kept; each holds the run for so long."""

    def offers(self, caller: str) -> tuple[ToolOffer, ...]:
        """Return the tools that a caller may ask."""

    def asker(self, scope: CallScope, *, limit: int, is_held: bool = False) -> Asks:
        """Return an asker for this run within a scope; `is_held`: what was kept before holds the run."""

    def note_misasked(self, tool: str, why: str, *, by: str) -> None:
        """Record a call that could not be read."""

    def hold(self, seconds: float) -> None:
        """Hold on to the run for so long."""

    def unheard(self) -> Sequence[models.RunNote]:
        """Return what people said to the run and it was not told yet."""

    def heard(self, note: models.RunNote) -> None:
        """Remember that it was told."""

    def is_reviewed(self) -> bool:
        """Say whether a critic has looked at it already."""

    def keep_review(self, review: Review) -> None:
        """Keep what a critic came to."""

    def gradings(self, given: Rubric) -> Sequence[Evaluation]:
        """Return how its drafts were graded so far."""

    def keep_grading(self, given: Rubric, evaluation: Evaluation) -> None:
        """Keep how a draft was graded."""


class InProduction:
    """An investigation's row, held by a lease, with the gateway behind it. All that is kept counts."""

    def __init__(self, row: models.Investigation, lease: Lease) -> None:
        self._row, self._lease = row, lease

    @property
    def rubric(self) -> str:
        """What was frozen when the run was opened."""
        return self._row.rubric

    def now(self) -> datetime:
        """Return the time of this machine."""
        return timezone.now()

    def entries(self) -> dict[int, Entry]:
        """Return the run's entries as they stand in the audit log."""
        return entries_of(self._row.pk)

    def redeclared(self) -> frozenset[int]:
        """Return the run's entries whose tool is declared otherwise by now."""
        return redeclared_of(self._row.pk)

    def freeze(self, submission: Submission, added: tuple[Finding, ...]) -> Frozen:
        """Return the case with every entry of the run, and what people and critics hold against it."""
        return judging.freeze(self._row, submission, added, self.entries(), now=self.now())

    def budget(self, limits: Limits) -> Budget:
        """Return what is left after all that the run's attempts have spent."""
        return steps.budget_left(limits, self._row.pk)

    def place(self, purpose: Purpose) -> Endpoint:
        """Return the endpoint in use."""
        return endpoints.endpoint_in_use(purpose)

    def model(self, purpose: Purpose) -> Model:
        """Return its model; each exchange is kept as one of this run."""
        row = self._row
        return endpoints.model_for(purpose, investigation=row.pk, incident=row.incident_id)

    def notebook(self, seconds: float) -> steps.Steps:
        """Return the run's rows of steps."""
        return steps.Steps(self._lease, seconds=seconds)

    def offers(self, caller: str) -> tuple[ToolOffer, ...]:
        """Return the tools that a caller may ask now."""
        return offering.offers(caller)

    def asker(self, scope: CallScope, *, limit: int, is_held: bool = False) -> Asker:
        """Return an asker through the gateway, its calls entries of this run."""
        row = self._row
        own = replace(scope, investigation=row.pk, incident=row.incident_id)
        if not is_held:
            return Asker(own, lease=self._lease, limit=limit)
        return _Held(own, lease=self._lease, limit=limit)

    def note_misasked(self, tool: str, why: str, *, by: str) -> None:
        """Leave an entry; what the call held is in the transcript, masked."""
        in_name = replace(self._lease, actor=by)
        leases.note(in_name, "call.unreadable", tool=inert(tool)[:100], reason=inert(why)[:300])

    def hold(self, seconds: float) -> None:
        """Renew the lease."""
        leases.renew(self._lease, seconds)

    def unheard(self) -> Sequence[models.RunNote]:
        """Return the notes that no step has told yet."""
        return steps.unheard(self._row.pk)

    def heard(self, note: models.RunNote) -> None:
        """Write down by which step it was told."""
        steps.heard(note)

    def is_reviewed(self) -> bool:
        """Say whether a critic has looked, in an earlier attempt perhaps."""
        return guardrows.is_reviewed(self._row)

    def keep_review(self, review: Review) -> None:
        """Store it at once."""
        guardrows.keep_review(self._row, self._lease, review)

    def gradings(self, given: Rubric) -> Sequence[Evaluation]:
        """Return those by this rubric, of every attempt."""
        return guardrows.evaluations(self._row, given)

    def keep_grading(self, given: Rubric, evaluation: Evaluation) -> None:
        """Store it at once."""
        guardrows.keep_evaluation(self._row, self._lease, given, evaluation)


class _Held(Asker):
    """An asker whose run the step that was kept just before holds: only a longer call needs more."""

    def renew(self, seconds: float) -> None:
        """Hold on to the run where the call may outlast what holds it."""
        if seconds > settings.LEASE_SECONDS / 2:
            super().renew(seconds)
