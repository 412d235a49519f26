"""What others may do with investigations: open one, run it, ask what is missing, find what is due."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.services import actor_name
from assay_core.canonical import canonical
from audit import writing
from investigations import asking, endpoints, external, running, sweeping
from investigations.external import NotOpened, open_for_agent
from investigations.labelling import KnownTo, nothing_known
from investigations.leases import Lease, note
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
    SubmissionRefused,
)
from investigations.rubric import reading
from investigations.states import OPEN, State
from verdicts.case import Subject

__all__ = [
    "Ending",
    "Failure",
    "Judgement",
    "LeaseLost",
    "NotOpened",
    "NothingToAsk",
    "RunOutcome",
    "SubmissionRefused",
    "ask_and_judge",
    "due",
    "give_rubric",
    "open_for_agent",
    "open_investigation",
    "run",
    "submit_external",
]
_TRIES = 3


def open_investigation(
    incident_id: int,
    subject: Subject,
    *,
    now: datetime,
    investigator: str = "",
    origins: Mapping[str, str] | None = None,
) -> Investigation:
    """Queue an investigation of the incident inside the caller's transaction.

    An incident has at most one open investigation: while there is one, that one is returned.
    `investigator` is who gathers; left out, whoever the settings say. The caller sends the task after
    commit. `origins` says of identifiers that are not the sender's where they come from; it stands in the
    audit entry.
    """
    body, investigator = canonical(subject.to_plain()), investigator or endpoints.investigator()
    for _ in range(_TRIES):
        try:
            with transaction.atomic():
                row = Investigation.objects.create(
                    incident_id=incident_id,
                    investigator=investigator,
                    state=State.QUEUED,
                    subject=body,
                    created_at=now,
                    queued_at=now,
                )
                lease = Lease(row.pk, incident_id, row.attempt, investigator)
                note(lease, "investigation.queued", **({"identifiers": dict(origins)} if origins else {}))
            return row
        except IntegrityError:
            existing = Investigation.objects.filter(incident_id=incident_id, state__in=OPEN).first()
            if existing is not None:
                return existing
    raise IntegrityError(
        f"incident {incident_id}: its open investigation ended {_TRIES} times while we looked"
    )


def open_new(
    subjects: Mapping[int, tuple[Subject, Mapping[str, str]]], *, now: datetime
) -> list[Investigation]:
    """Queue an investigation of each incident that this very transaction opened: nobody else sees them yet.

    Takes subjects and origins by the incident's number. As `open_investigation` for each, by two statements.
    """
    investigator = endpoints.investigator()
    rows = Investigation.objects.bulk_create(
        Investigation(
            incident_id=number,
            investigator=investigator,
            state=State.QUEUED,
            subject=canonical(subject.to_plain()),
            created_at=now,
            queued_at=now,
        )
        for number, (subject, _) in subjects.items()
    )
    entries = [
        writing.Draft(
            "investigation.queued",
            {"attempt": row.attempt, **({"identifiers": dict(origins)} if origins else {})},
            row.incident_id,
            row.pk,
        )
        for row, (_, origins) in zip(rows, subjects.values(), strict=True)
    ]
    if rows:
        writing.write_many(entries, actor=Lease(rows[0].pk, 0, rows[0].attempt, investigator).actor)
    return rows


def give_rubric(row: Investigation, rubric: str) -> None:
    """Freeze what the run's draft is graded by, in the caller's transaction, unless the run has begun.

    Raises RubricRefused for a text that can't be used.
    """
    if reading(rubric) is not None:
        untouched = Investigation.objects.filter(pk=row.pk, state=State.QUEUED, attempt=0, rubric="")
        untouched.update(rubric=rubric)


def run(
    investigation_id: int,
    *,
    on_judged: OnJudged,
    on_failed: OnFailed,
    known_to: KnownTo = nothing_known,
) -> RunOutcome:
    """Claim the investigation, gather, judge, and store the verdict; safe to call any number of times.

    `on_judged` and `on_failed` run inside the transaction that stores the ending, so that the
    incident moves with it; what they raise rolls everything back, is raised again, and the run
    is tried again later. A lost lease is an ending, not an exception. `known_to` says which issues are known
    where an incident came from. Must be called outside any transaction, since each tool call commits its
    entry at once.
    """
    return running.run(investigation_id, on_judged=on_judged, on_failed=on_failed, known_to=known_to)


def ask_and_judge(investigation_id: int, *, fact: str | None, by: User, on_judged: OnJudged) -> Judgement:
    """Ask what a judged investigation still lacks, with the rule's own arguments, and judge again.

    `fact` names one fact that does not hold; None asks every unanswerable one. Raises NothingToAsk.
    Must be called outside any transaction.
    """
    return asking.ask_and_judge(investigation_id, fact=fact, by=actor_name(by), on_judged=on_judged)


def submit_external(investigation_id: int, value: Any, *, by: str, on_judged: OnJudged) -> Judgement:
    """Judge what an agent submits (schema version 1) exactly as a run of ours is judged.

    What its hypothesis still lacks is asked by code first. Raises SubmissionRefused for a value that is
    not as the schema has it, and when the agent's term is over or the investigation judged. Raises
    SubmissionPending where a worker judges it, since a critic is to look first: the caller sends the task,
    and the same submission again asks how it ended. Must be called outside any transaction.
    """
    return external.submit(investigation_id, value, by=by, on_judged=on_judged)


def due(now: datetime) -> list[int]:
    """Return the ids of investigations whose task must be sent (again), and note that they were sent.

    These are: queued ones whose task was not sent or got lost, running ones with an expired
    lease, and waiting ones whose time has come (they move to queued).
    """
    sweeping.wake(now)
    return sweeping.unsent(now)
