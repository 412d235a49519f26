"""An investigation that somebody's own agent runs: opened with a term, judged when the agent submits.

The agent's term is the run's lease. When it ends without a submission the sweeper hands the investigation to
a worker, and the playbook does the work: an agent that falls silent costs time, never an incident.
`tries` counts workers' claims, so it is 0 exactly as long as the agent holds the run.

An agent that got no answer submits the same again: it is told what was decided, and nothing is judged twice.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from assay_core.canonical import canonical, digest
from assay_core.instants import as_text
from audit import reading, writing
from investigations import contract, guarding, leases, models, rulebook
from investigations.evidence import Asker, entries_of
from investigations.judging import freeze, store
from investigations.leases import Lease, note
from investigations.outcomes import Judgement, LeaseLost, OnJudged, SubmissionLate
from investigations.states import OPEN, State
from investigations.topping import top_up
from investigations.tracing import span_of_run
from toolbox.scope import CallScope
from verdicts.case import Finding, Subject, Submission

EXTERNAL = "external"
TAKEN = "submission.taken"


@dataclass(frozen=True, slots=True)
class _Handed:
    """A submission as it was handed in, its digest, and what the contract reads in it."""

    value: Mapping[str, Any]
    digest: str
    submission: Submission


class NotOpened(Exception):
    """An investigation can't be opened for an agent now; the message says why."""


def open_for_agent(
    incident_id: int, subject: Subject, *, until: datetime, by: str, now: datetime
) -> models.Investigation:
    """Open an investigation that an agent holds until its term ends, inside the caller's transaction.

    Raises NotOpened while the incident has another open investigation.
    """
    try:
        with transaction.atomic():
            row = models.Investigation.objects.create(
                incident_id=incident_id,
                investigator=EXTERNAL,
                state=State.RUNNING,
                subject=canonical(subject.to_plain()),
                attempt=1,
                lease_until=until,
                created_at=now,
                queued_at=now,
                started_at=now,
            )
    except IntegrityError:
        raise NotOpened(_already_open(incident_id)) from None
    note(Lease(row.pk, incident_id, row.attempt, by), "investigation.handed_over", until=until.isoformat())
    return row


def is_held(row: models.Investigation) -> bool:
    """Say whether the agent may still ask and submit."""
    return models.Investigation.objects.filter(_held_by_agent(), pk=row.pk).exists()


def submit(investigation_id: int, value: Any, *, by: str, on_judged: OnJudged) -> Judgement:
    """Take an agent's submission, ask what it lacks, judge. See services.submit_external."""
    submission = contract.reading(value, rulebook.current_rulebook(), author=EXTERNAL)
    handed = _Handed(value, digest(value), submission)
    try:
        lease, row = _claim(investigation_id, by)
    except SubmissionLate:
        decided = _decided_on(investigation_id, handed, by)
        if decided is None:
            raise
        return decided
    try:
        with span_of_run(row.pk, incident=row.incident_id, by=EXTERNAL):
            added = _top_up(row, lease, submission)
            guarding.look_up_what_is_cited(row, lease, submission, added)
        return _judge(lease, handed, added, on_judged)
    except LeaseLost:
        raise SubmissionLate(
            f"Investigation {investigation_id} was judged or taken over while this was looked at."
        ) from None


def taken(investigation_id: int) -> Mapping[str, Any] | None:
    """Return what is recorded of the submission that was judged: who, when, digest; None without one."""
    entries = reading.of_investigation(investigation_id, kind=TAKEN)
    if not entries or entries[-1].payload is None:
        return None
    last, told = entries[-1], entries[-1].payload
    return {
        "digest": told["digest"],
        "hypothesis": told["hypothesis"],
        "proposed_hypothesis": told["proposed_hypothesis"],
        "by": last.actor,
        "taken_at": as_text(last.recorded_at),
        "entry": last.id,
    }


def _decided_on(investigation_id: int, handed: _Handed, by: str) -> Judgement | None:
    """Return what was decided on just this submission of just this agent, if it was."""
    before = taken(investigation_id)
    if before is None or (before["digest"], before["by"]) != (handed.digest, by):
        return None
    made = models.Verdict.objects.filter(investigation_id=investigation_id).select_related("draft").first()
    return None if made is None else _judgement_of(made)


def _judgement_of(made: models.Verdict) -> Judgement:
    row = models.Investigation.objects.get(pk=made.investigation_id)
    return Judgement(
        investigation=row.pk,
        incident=row.incident_id,
        verdict=made.pk,
        draft=made.draft.pk,
        passed=made.passed,
        hypothesis=made.hypothesis,
        reason=made.reason,
        deciding=json.loads(made.body)["deciding"],
        judged_at=made.created_at,
    )


def _held_by_agent() -> Q:
    return Q(investigator=EXTERNAL, state=State.RUNNING, tries=0, lease_until__gt=Now())


def _claim(investigation_id: int, by: str) -> tuple[Lease, models.Investigation]:
    """Take the next attempt: of two submissions at once the later one counts, and only one is judged."""
    rows = models.Investigation.objects.filter(_held_by_agent(), pk=investigation_id)
    if not rows.update(attempt=F("attempt") + 1):
        raise SubmissionLate(_why_not(investigation_id))
    row = models.Investigation.objects.get(pk=investigation_id)
    return Lease(row.pk, row.incident_id, row.attempt, by), row


def _top_up(row: models.Investigation, lease: Lease, submission: Submission) -> tuple[Finding, ...]:
    """Ask each fact of the submitted hypothesis that nobody asked, with the rule's own arguments."""
    subject = Subject.from_plain(json.loads(row.subject))
    ask = Asker(
        CallScope(caller="rule", investigation=row.pk, incident=row.incident_id, is_derived=True),
        lease=lease,
        limit=settings.INVESTIGATION_MAX_CALLS,
    )
    return top_up(row, subject, submission.hypothesis, ask)


def _judge(lease: Lease, handed: _Handed, added: tuple[Finding, ...], on_judged: OnJudged) -> Judgement:
    submission = handed.submission
    with transaction.atomic():
        moved = models.Investigation.objects.filter(leases.held(lease), tries=0).update(
            state=State.JUDGED, lease_until=None, finished_at=Now(), reason=""
        )
        if not moved:
            raise LeaseLost(f"attempt {lease.attempt} of investigation {lease.investigation} is over")
        row = models.Investigation.objects.get(pk=lease.investigation)
        writing.write(
            TAKEN,
            {
                "version": contract.VERSION,
                "attempt": lease.attempt,
                "hypothesis": submission.hypothesis,
                "proposed_hypothesis": submission.proposed_hypothesis,
                "digest": handed.digest,
            },
            actor=lease.actor,
            incident=lease.incident,
            investigation=lease.investigation,
        )
        _keep(row, handed)
        frozen = freeze(row, submission, added, entries_of(row.pk), now=timezone.now())
        judgement = store(row, frozen, rulebook.current_rulebook(), actor=lease.actor)
        on_judged(judgement)
    return judgement


def _keep(row: models.Investigation, handed: _Handed) -> None:
    """Keep the submission whole: what it proposes to do stands here alone, where no verdict reads it."""
    models.Submitted.objects.create(
        investigation=row,
        body=canonical(handed.value),
        digest=handed.digest,
        contract_digest=contract.schema_digest(rulebook.current_rulebook()),
        author=EXTERNAL,
        created_at=timezone.now(),
    )


def _already_open(incident_id: int) -> str:
    row = models.Investigation.objects.filter(incident_id=incident_id, state__in=OPEN).first()
    if row is None:
        return f"An investigation of incident {incident_id} has just ended. Try again."
    return (
        f"Incident {incident_id} has an open investigation ({row.pk}, {row.state}, by {row.investigator}). "
        "Wait until it is judged."
    )


def _why_not(investigation_id: int) -> str:
    row = models.Investigation.objects.filter(pk=investigation_id).first()
    if row is None:
        return f"There is no investigation {investigation_id}."
    if row.investigator != EXTERNAL:
        return f"Investigation {row.pk} is run by the {row.investigator}, not by an agent."
    if row.state == State.STOPPED:
        return f"Investigation {row.pk} was stopped by a person."
    if row.state == State.JUDGED:
        return f"Investigation {row.pk} is judged already; its verdict stands."
    return f"The term for investigation {row.pk} is over, and the playbook takes it from here."
