"""One run, from claim to verdict."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.db import Error, transaction
from django.db.models.functions import Now
from django.utils import timezone

from assay_core.canonical import canonical, digest
from investigations import labelling, leases, models, rulebook
from investigations.evidence import entries_of
from investigations.gathering import Came, gathered
from investigations.judging import freeze, store
from investigations.labelling import KnownTo
from investigations.leases import Lease
from investigations.outcomes import Ending, Judgement, LeaseLost, OnFailed, OnJudged, RunOutcome
from investigations.states import State
from investigations.tracing import span_of_run
from verdicts.case import Subject


def run(
    investigation_id: int,
    *,
    on_judged: OnJudged,
    on_failed: OnFailed,
    known_to: KnownTo = labelling.nothing_known,
) -> RunOutcome:
    """Run one investigation if it can be claimed. See services.run."""
    lease = leases.claim(investigation_id)
    if lease is None:
        failure = leases.give_up(investigation_id, on_failed, now=timezone.now())
        if failure is not None:
            return RunOutcome(Ending.FAILED, failure.reason, failure=failure)
        return RunOutcome(Ending.NOT_CLAIMED, "judged already, held by another worker, or unknown")
    try:
        return _attempt(lease, on_judged, known_to)
    except LeaseLost as lost:
        return RunOutcome(Ending.LEASE_LOST, str(lost))
    except Exception as error:
        # With the database gone as well the lease runs out by itself, and the sweeper sends again.
        with suppress(Error):
            leases.give_back(lease, _in_words(error))
        raise


def _in_words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:500]


def _attempt(lease: Lease, on_judged: OnJudged, known_to: KnownTo) -> RunOutcome:
    row = models.Investigation.objects.get(pk=lease.investigation)
    with span_of_run(row.pk, incident=row.incident_id, by=row.investigator):
        subject = Subject.from_text(row.subject)
        if subject.kind == labelling.KIND:
            labelling.classify_issue(row, lease, subject, known_to)
        came = gathered(row, lease, without_model=labelling.is_only_classified(subject))
    until = came.gathered.wait_until
    if until is not None:
        reason = f"Waits for {came.gathered.waits_for}: an earlier answer to it can earn nothing."
        leases.put_off(lease, until, reason)
        return RunOutcome(Ending.WAITING, reason, due_at=until)
    return RunOutcome(Ending.JUDGED, judgement=_judge(row, lease, came, on_judged))


def _judge(row: models.Investigation, lease: Lease, came: Came, on_judged: OnJudged) -> Judgement:
    with transaction.atomic():
        moved = models.Investigation.objects.filter(leases.held(lease)).update(
            state=State.JUDGED,
            lease_until=None,
            finished_at=Now(),
            reason=came.gathered.note,
            **came.columns,
        )
        if not moved:
            raise LeaseLost(f"attempt {lease.attempt} of investigation {lease.investigation} is over")
        if came.handed is not None:
            _keep_handed(row, came.handed, came.columns["contract_digest"])
        frozen = freeze(row, came.gathered.submission, came.added, entries_of(row.pk), now=timezone.now())
        judgement = store(row, frozen, rulebook.current_rulebook(), actor=lease.actor)
        on_judged(judgement)
    return judgement


def _keep_handed(row: models.Investigation, handed: Mapping[str, Any], contract_digest: str) -> None:
    """Keep a submission whole: what it proposes to do stands here alone, where no verdict reads it."""
    models.Submitted.objects.create(
        investigation=row,
        body=canonical(handed),
        digest=digest(handed),
        contract_digest=contract_digest,
        author=row.investigator,
        created_at=timezone.now(),
    )
