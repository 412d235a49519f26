"""Who holds an investigation: claimed, renewed, given back and given up by conditional UPDATEs.

There is no heartbeat thread. The lease is renewed before each tool call, for at least as long
as that tool may take, so it is alive exactly as long as the run makes progress: a worker that
hangs loses it, where a thread beside it would keep it for ever. All times of a lease are the
database's, so that the clocks of the workers don't matter.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Now

from assay_core.instants import as_text
from audit import writing
from investigations.models import Investigation
from investigations.outcomes import Failure, LeaseLost, OnFailed
from investigations.states import State


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write for one attempt of one investigation."""

    investigation: int
    incident: int
    attempt: int
    actor: str


def worker_of(row: Investigation) -> str:
    """Return in whose name a worker runs it: the playbook takes over where an agent fell silent."""
    is_silent = row.investigator == "external" and not row.submissions.exists()
    return "playbook" if is_silent else row.investigator


def _claimable() -> Q:
    return Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lt=Now())


def claim(investigation_id: int) -> Lease | None:
    """Take a queued investigation, or a running one whose lease ran out; None when it isn't to be had.

    None also when its tries are spent: `give_up` then ends it.
    """
    row = Investigation.objects.filter(pk=investigation_id).first()
    if row is None:
        return None
    lease = Lease(row.pk, row.incident_id, row.attempt + 1, worker_of(row))
    with transaction.atomic():
        won = Investigation.objects.filter(
            _claimable(), pk=row.pk, attempt=row.attempt, tries__lt=settings.INVESTIGATION_ATTEMPTS
        ).update(
            state=State.RUNNING,
            attempt=lease.attempt,
            tries=F("tries") + 1,
            lease_until=Now() + timedelta(seconds=settings.LEASE_SECONDS),
            started_at=Coalesce("started_at", Now()),
            due_at=None,
        )
        if not won:
            return None
        note(lease, "investigation.claimed")
    return lease


def held(lease: Lease) -> Q:
    """Return the condition that every write of a run carries."""
    return Q(pk=lease.investigation, attempt=lease.attempt, state=State.RUNNING)


def renew(lease: Lease, seconds: float = 0) -> None:
    """Hold on for LEASE_SECONDS beyond the given time; raise LeaseLost when somebody else took over."""
    until = Now() + timedelta(seconds=settings.LEASE_SECONDS + seconds)
    if not Investigation.objects.filter(held(lease)).update(lease_until=until):
        raise LeaseLost(f"attempt {lease.attempt} of investigation {lease.investigation} is over")


def give_back(lease: Lease, reason: str) -> bool:
    """Queue the investigation again after an error; the sweeper sends it after a while."""
    with transaction.atomic():
        freed = Investigation.objects.filter(held(lease)).update(
            state=State.QUEUED, lease_until=None, queued_at=Now(), sent_at=Now(), reason=reason
        )
        if freed:
            note(lease, "investigation.requeued", reason=reason)
    return bool(freed)


def put_off(lease: Lease, due_at: datetime, reason: str) -> None:
    """Let the investigation wait until `due_at`; raise LeaseLost when it is no longer ours."""
    with transaction.atomic():
        moved = Investigation.objects.filter(held(lease)).update(
            state=State.WAITING, lease_until=None, due_at=due_at, tries=0, reason=reason
        )
        if not moved:
            raise LeaseLost(f"attempt {lease.attempt} of investigation {lease.investigation} is over")
        note(lease, "investigation.deferred", reason=reason, due_at=as_text(due_at))


def give_up(investigation_id: int, on_failed: OnFailed, *, now: datetime) -> Failure | None:
    """End an investigation whose tries are spent as failed, so that its incident reaches a person."""
    row = Investigation.objects.filter(pk=investigation_id).first()
    if row is None or row.tries < settings.INVESTIGATION_ATTEMPTS:
        return None
    last = f" The last error: {row.reason}" if row.reason else " The worker did not survive the last one."
    reason = f"Given up after {row.tries} attempts without a verdict.{last}"
    failure = Failure(row.pk, row.incident_id, reason, now)
    with transaction.atomic():
        ended = Investigation.objects.filter(_claimable(), pk=row.pk, attempt=row.attempt).update(
            state=State.FAILED, attempt=row.attempt + 1, lease_until=None, finished_at=now, reason=reason
        )
        if not ended:
            return None
        note(
            Lease(row.pk, row.incident_id, row.attempt + 1, worker_of(row)),
            "investigation.failed",
            reason=reason,
        )
        on_failed(failure)
    return failure


def note(lease: Lease, kind: str, **more: str | dict[str, str]) -> None:
    """Write the audit entry of a move, in the move's own transaction."""
    writing.write(
        kind,
        {"attempt": lease.attempt, **more},
        actor=lease.actor,
        incident=lease.incident,
        investigation=lease.investigation,
    )
