"""An investigation that somebody's own agent runs: opened with a term, judged when the agent submits.

The agent's term is the run's lease. When it ends without a submission the sweeper hands the investigation to
a worker, and the playbook does the work: an agent that falls silent costs time, never an incident.
`tries` counts workers' claims, so it is 0 exactly as long as the agent holds the run.

An agent that got no answer submits the same again: it is told what was decided, and nothing is judged twice.
"""

import json
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from assay_core.canonical import canonical
from investigations import guarding, leases, models, rulebook, submissions
from investigations.evidence import Asker, entries_of
from investigations.judging import freeze, store
from investigations.leases import Lease, note
from investigations.outcomes import Judgement, LeaseLost, OnJudged, SubmissionLate, SubmissionPending
from investigations.states import OPEN, State
from investigations.submissions import Handed
from investigations.topping import top_up
from investigations.tracing import span_of_run
from toolbox.scope import CallScope
from verdicts.case import Finding, Subject, Submission

EXTERNAL = submissions.AUTHOR
_PENDING = "The submission to investigation {} was taken, and a critic looks at it."


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
    handed = submissions.read(value)
    try:
        lease, row = _claim(investigation_id, by)
    except SubmissionLate:
        decided = _decided_on(investigation_id, handed, by)
        if decided is None:
            raise
        return decided
    try:
        if guarding.has_critic_for(Subject.from_text(row.subject), handed.submission.hypothesis):
            _pass_on(row, lease, handed)
            raise SubmissionPending(_PENDING.format(row.pk))
        with span_of_run(row.pk, incident=row.incident_id, by=EXTERNAL):
            added = _top_up(row, lease, handed.submission)
            guarding.look_up_what_is_cited(row, lease, handed.submission, added)
        return _judge(lease, handed, added, on_judged)
    except LeaseLost:
        raise SubmissionLate(
            f"Investigation {investigation_id} was judged or taken over while this was looked at."
        ) from None


def _decided_on(investigation_id: int, handed: Handed, by: str) -> Judgement | None:
    """Return what was decided on just this submission of just this agent, if it was.

    Raises SubmissionPending while it is looked at.
    """
    before = submissions.taken(investigation_id)
    if before is None or (before["digest"], before["by"]) != (handed.digest, by):
        return None
    if models.Investigation.objects.filter(pk=investigation_id, state__in=OPEN).exists():
        raise SubmissionPending(_PENDING.format(investigation_id))
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
    ask = Asker(
        CallScope(caller="rule", investigation=row.pk, incident=row.incident_id, is_derived=True),
        lease=lease,
        limit=settings.INVESTIGATION_MAX_CALLS,
    )
    return top_up(row, Subject.from_text(row.subject), submission.hypothesis, ask)


def _pass_on(row: models.Investigation, lease: Lease, handed: Handed) -> None:
    """Keep a submission and leave its judging to a worker; raise LeaseLost."""
    with transaction.atomic():
        moved = models.Investigation.objects.filter(leases.held(lease), tries=0).update(
            state=State.QUEUED, lease_until=None, queued_at=Now(), sent_at=None
        )
        if not moved:
            raise LeaseLost(f"attempt {lease.attempt} of investigation {lease.investigation} is over")
        submissions.keep(row, lease, handed)


def _judge(lease: Lease, handed: Handed, added: tuple[Finding, ...], on_judged: OnJudged) -> Judgement:
    with transaction.atomic():
        moved = models.Investigation.objects.filter(leases.held(lease), tries=0).update(
            state=State.JUDGED, lease_until=None, finished_at=Now(), reason=""
        )
        if not moved:
            raise LeaseLost(f"attempt {lease.attempt} of investigation {lease.investigation} is over")
        row = models.Investigation.objects.get(pk=lease.investigation)
        submissions.keep(row, lease, handed)
        frozen = freeze(row, handed.submission, added, entries_of(row.pk), now=timezone.now())
        judgement = store(row, frozen, rulebook.current_rulebook(), actor=lease.actor)
        on_judged(judgement)
    return judgement


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
    if row.state in OPEN and row.submissions.exists():
        return f"Another submission to investigation {row.pk} was taken, and is being looked at."
    if row.state == State.FAILED:
        return f"Investigation {row.pk} ended without a verdict. {row.reason}".strip()
    if row.state == State.JUDGED:
        return f"Investigation {row.pk} is judged already; its verdict stands."
    return f"The term for investigation {row.pk} is over, and the playbook takes it from here."
