"""What an agent handed in: read by the contract, made safe to show, kept whole, and found again.

A claim's submission goes to a worker first, where a critic looks at it: the web process has no model's key.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone

from assay_core.canonical import canonical, digest
from assay_core.instants import as_text
from audit import reading, writing
from investigations import contract, models, rulebook
from investigations.leases import Lease
from investigations.safewords import safe
from toolbox import redaction
from verdicts.case import Submission

AUTHOR = "external"
TAKEN = "submission.taken"


@dataclass(frozen=True, slots=True)
class Handed:
    """A submission as it is kept, its digest, and what the contract reads in it."""

    value: Mapping[str, Any]
    digest: str
    submission: Submission


def read(value: Any) -> Handed:
    """Return what a value hands in; raise SubmissionRefused. Whatever secrets stand in it are masked."""
    contract.reading(value, rulebook.current_rulebook(), author=AUTHOR)
    return _handed(redaction.copy_for_readers(value).value)


def keep(row: models.Investigation, lease: Lease, handed: Handed) -> None:
    """Record that it was taken, and keep it whole, inside the caller's transaction.

    What it proposes to do stands there alone, where no verdict reads it.
    """
    writing.write(
        TAKEN,
        {
            "version": contract.VERSION,
            "attempt": lease.attempt,
            "hypothesis": handed.submission.hypothesis,
            "proposed_hypothesis": handed.submission.proposed_hypothesis,
            "digest": handed.digest,
        },
        actor=lease.actor,
        incident=lease.incident,
        investigation=lease.investigation,
    )
    models.Submitted.objects.create(
        investigation=row,
        body=canonical(handed.value),
        digest=handed.digest,
        contract_digest=contract.schema_digest(rulebook.current_rulebook()),
        author=AUTHOR,
        created_at=timezone.now(),
    )


def taken(investigation_id: int) -> Mapping[str, Any] | None:
    """Return what is recorded of the submission that was taken: who, when, digest; None without one."""
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


def waiting(row: models.Investigation) -> Submission | None:
    """Return the submission of an agent that a worker is to judge; None where the agent left none."""
    kept = row.submissions.filter(author=AUTHOR).last()
    return _handed(json.loads(kept.body)).submission if kept else None


def _handed(value: Mapping[str, Any]) -> Handed:
    submission = contract.submission_of(value, AUTHOR)
    return Handed(value, digest(value), replace(submission, draft=safe(submission.draft)))
