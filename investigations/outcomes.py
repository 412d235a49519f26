"""What a run ends in: plain values that cross from this app to whoever started the run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Jump:
    """A fact that could always be answered and of late cannot: something it reads has changed."""

    rule: str
    fact: str
    tool: str
    path: str  # "" where no field is named
    kind: str
    count: int  # within the hour
    began_at: datetime


@dataclass(frozen=True, slots=True)
class Judgement:
    """One verdict that is being stored; handed to `on_judged` inside the same transaction."""

    investigation: int
    incident: int
    verdict: int
    draft: int
    passed: bool
    hypothesis: str
    reason: str
    deciding: str
    judged_at: datetime
    jumps: tuple[Jump, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """An investigation that ended without a verdict; handed to `on_failed` inside the same transaction."""

    investigation: int
    incident: int
    reason: str
    failed_at: datetime


class Ending(StrEnum):
    """How one call of `run` ended."""

    JUDGED = "judged"
    FAILED = "failed"
    WAITING = "waiting"
    LEASE_LOST = "lease lost"
    NOT_CLAIMED = "not claimed"


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How one call of `run` ended, with what it stored."""

    ending: Ending
    reason: str = ""
    judgement: Judgement | None = None
    failure: Failure | None = None
    due_at: datetime | None = None


OnJudged = Callable[[Judgement], None]
OnFailed = Callable[[Failure], None]


class LeaseLost(Exception):
    """Another worker holds this investigation now; this run writes nothing more."""


class NothingToAsk(Exception):
    """There is no missing fact that code could ask for; the message says why."""


class BudgetSpent(Exception):
    """This attempt has made all the tool calls it may make; it is judged on what there is."""


class SubmissionRefused(Exception):
    """A submission cannot be taken; the message says what is wrong with it, or why it comes too late.

    `complaints` is each thing that is wrong with it, where it is not as the schema has it.
    """

    def __init__(self, message: str, complaints: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.complaints = tuple(complaints)


class SubmissionLate(SubmissionRefused):
    """The investigation takes no submission now: it is judged, taken over, or its term is over."""


class SubmissionPending(Exception):
    """A submission was taken and is looked at by a critic; the same one sent again asks how that ended."""
