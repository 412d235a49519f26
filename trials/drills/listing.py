"""Drills and their runs as pages list them, and which runs' figures may be shown yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, F, Func, IntegerField, OuterRef, Q, QuerySet

from trials.drills import booking, comparing, deciding
from trials.drills.comparing import Comparison
from trials.drills.policy import Policy
from trials.models import DisagreementRead, Drill, DrillRun

# How many rows of a drill differ, without their texts.
_KEYS = Func(
    F("texts"),
    template="(SELECT count(*) FROM jsonb_object_keys(%(expressions)s))",
    output_field=IntegerField(),
)


class NotCompared(ValueError):
    """Two runs cannot be compared on a page; the message says why."""


@dataclass(frozen=True, slots=True)
class DrillLine:
    """One drill in a list. `decision` is empty while a row of it is unread."""

    id: int
    golden: str
    baseline: str
    candidate: str
    model: str
    differing: int
    read: int
    is_locked: bool
    decision: str
    promoted_by: str
    created_at: datetime


def drills(*, most: int = 100, endpoint: str = "") -> list[DrillLine]:
    """Return drills, the newest first; with `endpoint`, those that it had a part in."""
    rows = Drill.objects.select_related("baseline", "candidate").annotate(differing=_KEYS)
    if endpoint:
        rows = rows.filter(Q(candidate__endpoint=endpoint) | Q(baseline__endpoint=endpoint))
    found = list(rows.defer("policy", "texts").order_by("-pk")[:most])
    read = _read(found)
    return [
        DrillLine(
            id=row.pk,
            golden=row.golden,
            baseline=row.baseline.endpoint,
            candidate=row.candidate.endpoint,
            model=row.candidate.model,
            differing=row.differing,
            read=read.get(row.pk, 0),
            is_locked=row.unlocked_at is None,
            decision="" if row.unlocked_at is None else row.decision,
            promoted_by=row.promoted_by,
            created_at=row.created_at,
        )
        for row in found
    ]


def _read(chosen: Sequence[Drill]) -> dict[int, int]:
    """Return how many rows of each drill somebody has read."""
    rows = DisagreementRead.objects.filter(drill__in=chosen).order_by().values_list("drill")
    return dict(rows.annotate(count=Count("row_id", distinct=True)))


def open_runs() -> QuerySet[DrillRun]:
    """Return the runs whose figures may be shown: of a drill that was read, candidate in none that is not.

    Their sum would else be told, by a list or a file, before anybody has read where they differ.
    """
    of_it = Q(candidate=OuterRef("pk")) | Q(baseline=OuterRef("pk"))
    return DrillRun.objects.exclude(finished_at=None).filter(
        Exists(Drill.objects.filter(of_it).exclude(unlocked_at=None)),
        ~Exists(Drill.objects.filter(candidate=OuterRef("pk"), unlocked_at=None)),
    )


def side_by_side(first: DrillRun, second: DrillRun) -> tuple[Comparison, int]:
    """Compare any two runs of the same rows; beside it, the fewest rows that a percentage is given of.

    Raises NotCompared.
    """
    differing = booking.digests_of(first).differing(booking.digests_of(second))
    if differing:
        raise NotCompared(
            f"The two differ in more than the endpoint ({', '.join(differing)}): what they come to says "
            "nothing of either."
        )
    by = _policy_of(first, second)
    try:
        found = comparing.compare(
            booking.answers_of(first), booking.answers_of(second), closing=by.closing_labels
        )
    except ValueError as error:
        raise NotCompared(str(error)) from None
    return found, by.rows_needed


def _policy_of(first: DrillRun, second: DrillRun) -> Policy:
    """Return the policy of the newest drill of either run; each has one that may be shown."""
    either = [first.pk, second.pk]
    drills_of_them = Drill.objects.filter(Q(candidate__in=either) | Q(baseline__in=either))
    return deciding.kept_policy(drills_of_them.latest("pk"))
