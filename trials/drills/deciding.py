"""A drill: two finished runs compared by the policy, its differences read by people, then unlocked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import transaction

from accounts.models import User
from accounts.permissions import Permission
from audit import writing
from investigations.classification import Contract, contract
from toolbox import redaction
from trials.drills import booking, comparing, patterns, policy
from trials.drills.comparing import Comparison
from trials.drills.patterns import Pattern
from trials.drills.plan import Plan
from trials.drills.policy import Decision, Policy, PolicyUnusable
from trials.models import DisagreementRead, Drill, DrillRun


class ReviewRefused(ValueError):
    """A review or a promotion cannot go on; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a person says of a row: whose answer is right ("" where they cannot tell), and a note."""

    right: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """All that a drill comes to."""

    comparison: Comparison
    decision: Decision
    patterns: tuple[Pattern, ...]
    policy: Policy


def policy_of(bound: Contract) -> Policy:
    """Return the policy that the settings name. Raises PolicyUnusable."""
    path = Path(settings.DRILL_POLICY)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyUnusable(f"DRILL_POLICY names {path}, which cannot be read ({error}).") from None
    try:
        return policy.parsed(text, labels=bound.labels)
    except PolicyUnusable as error:
        raise PolicyUnusable(f"{path}: {error}") from None


def weigh(baseline: DrillRun, candidate: DrillRun, by: Policy) -> Found:
    """Compare two finished runs by a policy."""
    compared = comparing.compare(
        booking.answers_of(baseline), booking.answers_of(candidate), closing=by.closing_labels
    )
    return Found(compared, policy.decide(compared, by), patterns.found(compared), by)


def record(plan: Plan, runs: tuple[DrillRun, DrillRun], by: Policy, *, asked_by: str, now: datetime) -> Drill:
    """Store a drill of two runs, or return the stored one. Audited. Without a difference it is unlocked."""
    baseline, candidate = runs
    same = {"baseline": baseline, "candidate": candidate, "policy_digest": by.digest}
    there = Drill.objects.filter(**same).first()
    if there is not None:
        return there
    found = weigh(baseline, candidate, by)
    differing = found.comparison.differing
    rows = {row.id: row for row in plan.rows}
    texts = {
        name: {"title": redaction.text(rows[name].title), "body": redaction.text(rows[name].body)}
        for name in differing
    }
    with transaction.atomic():
        drill = Drill.objects.create(
            **same,
            golden=plan.golden,
            texts=texts,
            policy=by.text,
            decision=found.decision.outcome.value,
            started_by=asked_by,
            created_at=now,
            unlocked_at=None if differing else now,
        )
        _note("drill.recorded", drill, {"rows": found.comparison.rows, "differing": len(differing)}, asked_by)
    return drill


def found_of(drill: Drill) -> Found:
    """Return what a drill comes to, by the policy that it was decided by."""
    return weigh(drill.baseline, drill.candidate, kept_policy(drill))


def kept_policy(drill: Drill) -> Policy:
    """Return the policy that a drill was decided by."""
    return policy.parsed(drill.policy, labels=contract().labels)


def unread(drill: Drill, found: Found | None = None) -> list[str]:
    """Return the rows that differ and that nobody has read, in the golden set's order."""
    if drill.unlocked_at is not None:
        return []
    differing = (found or found_of(drill)).comparison.differing
    read = set(DisagreementRead.objects.filter(drill=drill).values_list("row_id", flat=True))
    return [name for name in differing if name not in read]


def note_read(drill: Drill, row_id: str, *, by: User, now: datetime, said: Said | None = None) -> bool:
    """Record that a person read a row; return whether that was the last and the drill is unlocked. Audited.

    What they `said` of it replaces what they said before. Raises ReviewRefused.
    """
    demand(by, Permission.REVIEW_TRIALS, "Drills are read by managers and administrators.")
    differing = found_of(drill).comparison.differing
    if row_id not in differing:
        raise ReviewRefused(f"The two runs do not differ in the row {row_id!r}.")
    with transaction.atomic():
        locked = Drill.objects.select_for_update().get(pk=drill.pk)
        words = {} if said is None else {"right": said.right, "note": redaction.text(said.note)}
        DisagreementRead.objects.update_or_create(
            drill=locked,
            row_id=row_id,
            by=by.username,
            defaults=words,
            create_defaults={"read_at": now, **words},
        )
        if locked.unlocked_at is not None or _still_unread(locked, differing):
            return False
        locked.unlocked_at = now
        locked.save(update_fields=["unlocked_at"])
        _note("drill.unlocked", locked, {"read": len(differing)}, f"person:{by.username}")
    drill.refresh_from_db()
    return True


def _still_unread(drill: Drill, differing: Sequence[str]) -> bool:
    read = DisagreementRead.objects.filter(drill=drill, row_id__in=differing)
    return read.values("row_id").distinct().count() < len(differing)


def demand(by: User, permission: Permission, refusal: str) -> None:
    """Raise ReviewRefused where a person may not."""
    if not (by.is_active and by.has_perm(permission)):
        raise ReviewRefused(f"{by.username} may not. {refusal}")


def _note(kind: str, drill: Drill, more: dict[str, int], actor: str) -> None:
    payload = {
        "drill": drill.pk,
        "baseline": drill.baseline.name,
        "candidate": drill.candidate.name,
        "policy": drill.policy_digest,
        **more,
    }
    writing.write(kind, payload, actor=actor)
