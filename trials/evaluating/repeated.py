"""The surroundings of a run that is repeated in a recorded world: no row of an incident, no entry of the log.

All else is production's own code: prompts, loop, contract, repair, top-up, critic and citation guard.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from investigations import endpoints, models, offering
from investigations.budget import Budget, Limits
from investigations.conversation import Memory
from investigations.critic import Review
from investigations.named import Endpoint
from investigations.rubric import Evaluation as Grading
from investigations.rubric import Rubric
from investigations.states import Purpose
from investigations.talk import Model, Reply, ToolOffer
from investigations.transcripts import Occasion, Opened
from toolbox.scope import CallScope
from trials.evaluating.answering import CALLER, RUN, Asked, Record
from trials.evaluating.purse import Paid, Purse, Tally
from trials.worlds import World
from verdicts.case import Case, Entry, Finding, Submission
from verdicts.frozen import Frozen


class _Notes(Memory):
    """A notebook of a run that nothing has to hold and nobody speaks to."""

    holds, is_spoken_to = True, False


class _Nowhere:
    """Keeps no exchange: those of a comparison are no cost of an incident and no figure of an endpoint."""

    def count(self, occasion: Occasion) -> int:
        """There were none."""
        return 0

    def begin(
        self,
        occasion: Occasion,
        *,
        endpoint: str,
        model: str,
        step: int,
        request: Mapping[str, Any],
        parts: Any,
    ) -> Opened:
        """Keep nothing."""
        return Opened(0, endpoint, str(occasion.purpose), request)

    def end(self, opened: Opened, reply: Reply, *, tries: int) -> None:
        """Keep nothing."""

    def fail(self, opened: Opened, reason: str, *, tries: int, seconds: float) -> None:
        """Keep nothing."""


@dataclass(frozen=True, slots=True)
class How:
    """What is the same for every run of an evaluation: who answers, whether live tools may, who pays."""

    endpoint: str
    is_live: bool
    purse: Purse
    via: str = CALLER


class Repeated:
    """Surroundings in which nothing counts: the clock, the answers and the subject are the world's."""

    rubric = ""  # a grader's words change no verdict, and would be paid for

    def __init__(self, world: World, how: How) -> None:
        self.world, self.how, self.tally = world, how, Tally()
        self.record = Record(world, via=how.via if how.is_live else "")
        self.notes = _Notes()
        self.review: Review | None = None
        self.misasked = 0

    def now(self) -> datetime:
        """Return the incident's time."""
        return self.world.now

    def entries(self) -> dict[int, Entry]:
        """Return what the run was answered so far."""
        return self.record.entries()

    def redeclared(self) -> frozenset[int]:
        """Return none: what was recorded under another declaration is marked where it is told."""
        return frozenset()

    def freeze(self, submission: Submission, added: tuple[Finding, ...]) -> Frozen:
        """Return the case of this run alone: what people held against the incident is not the agent's."""
        return frozen(self.world, submission, added, entries=self.entries(), review=self.review)

    def budget(self, limits: Limits) -> Budget:
        """Return a whole one: each run is new."""
        return Budget(limits)

    def place(self, purpose: Purpose) -> Endpoint:
        """Return the endpoint on trial, where no other is set for the purpose on its own."""
        own = endpoints.serving(purpose)
        is_other = purpose is not Purpose.INVESTIGATOR and own != endpoints.DEFAULT
        return endpoints.endpoint_named(own if is_other else self.how.endpoint)

    def model(self, purpose: Purpose) -> Model:
        """Return its model, paid from the evaluation's purse."""
        place = self.place(purpose)
        speaker = endpoints.speaking_to(place, Occasion(purpose), _Nowhere())
        return Paid(speaker, place, self.how.purse, self.tally)

    def notebook(self, seconds: float) -> _Notes:
        """Return the run's notes, which last as long as the run."""
        return self.notes

    def offers(self, caller: str) -> tuple[ToolOffer, ...]:
        """Return the tools as they are declared now; a credential is proven only where tools are asked."""
        return offering.offers(caller, is_recorded=not self.how.is_live)

    def asker(self, scope: CallScope, *, limit: int, is_held: bool = False) -> "Asked":
        """Return an asker of the world. The first that derives its questions ends the agent's own asking."""
        if scope.is_derived:
            self.record.is_own = False
        return Asked(self.record, scope, limit)

    def note_misasked(self, tool: str, why: str, *, by: str) -> None:
        """Count a call that could not be read."""
        self.misasked += 1

    def hold(self, seconds: float) -> None:
        """Nobody else can have it."""

    def unheard(self) -> Sequence[models.RunNote]:
        """Nobody speaks to it."""
        return ()

    def heard(self, note: models.RunNote) -> None:
        """Nobody speaks to it."""

    def is_reviewed(self) -> bool:
        """Say whether the critic has looked."""
        return self.review is not None

    def keep_review(self, review: Review) -> None:
        """Keep it for this run's case."""
        self.review = review

    def gradings(self, given: Rubric) -> Sequence[Grading]:
        """Nothing is graded."""
        return ()

    def keep_grading(self, given: Rubric, evaluation: Grading) -> None:
        """Nothing is graded."""


def frozen(
    world: World,
    submission: Submission,
    added: tuple[Finding, ...],
    *,
    entries: Mapping[int, Entry],
    review: Review | None = None,
) -> Frozen:
    """Return the case of a run in a world, judged at the world's time."""
    case = Case(
        investigation=RUN,
        submission=submission,
        added=added,
        refutations=() if review is None else review.refutations,
        judged_at=max([world.now, *(each.finished_at for each in entries.values())]),
        entries=tuple((number, entries[number].leaf) for number in sorted(entries)),
    )
    return Frozen(world.subject, case, dict(entries))
