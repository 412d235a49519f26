"""What others may do with investigations: open one, run it, ask what is missing, find what is due."""

from datetime import datetime

from verdicts.case import Subject

from accounts.models import User
from investigations.models import Investigation
from investigations.outcomes import (
    Ending,
    Failure,
    Judgement,
    LeaseLost,
    NothingToAsk,
    OnFailed,
    OnJudged,
    RunOutcome,
)

__all__ = [
    "Ending",
    "Failure",
    "Judgement",
    "LeaseLost",
    "NothingToAsk",
    "RunOutcome",
    "ask_and_judge",
    "due",
    "open_investigation",
    "run",
]


def open_investigation(
    incident_id: int, subject: Subject, *, now: datetime, investigator: str = "playbook"
) -> Investigation:
    """Queue an investigation of the incident inside the caller's transaction.

    An incident has at most one open investigation: while there is one, that one is returned.
    The caller sends the task after commit.
    """
    raise NotImplementedError


def run(investigation_id: int, *, on_judged: OnJudged, on_failed: OnFailed) -> RunOutcome:
    """Claim the investigation, gather, judge, and store the verdict; safe to call any number of times.

    `on_judged` and `on_failed` run inside the transaction that stores the ending, so that the
    incident moves with it; what they raise rolls everything back, is raised again, and the run
    is tried again later. A lost lease is an ending, not an exception.
    """
    raise NotImplementedError


def ask_and_judge(investigation_id: int, *, fact: str | None, by: User, on_judged: OnJudged) -> Judgement:
    """Ask what a judged investigation still lacks, with the rule's own arguments, and judge again.

    `fact` names one missing fact; None asks every missing one. Raises NothingToAsk.
    """
    raise NotImplementedError


def due(now: datetime) -> list[int]:
    """Return the ids of investigations whose task must be sent (again), and note that they were sent.

    These are: queued ones whose task was not sent or got lost, running ones with an expired
    lease, and waiting ones whose time has come (they move to queued).
    """
    raise NotImplementedError
