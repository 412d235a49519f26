"""The rules now loaded against those that judged: each of the last verdicts again, from what is recorded."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Exists, OuterRef

from accounts.models import User
from incidents.models import Resolution
from incidents.queries import visible_incidents
from investigations.models import Verdict as VerdictRow
from verdicts.case import CaseUnreadable
from verdicts.closings import Actual, Closing, NoSuchOutcome, settled
from verdicts.comparison import Ending, decided_by, ending
from verdicts.frozen import Frozen
from verdicts.outcomes import Verdict
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Flip:
    """A verdict that would be another now, beside what people decided."""

    incident: int
    investigation: int
    hypothesis: str
    judged_at: datetime
    passed: bool
    now_passes: bool
    reason: str
    decided_by: str
    outcome: str  # "" while nobody has closed it
    ending: Ending


@dataclass(slots=True)
class Diff:
    """One page: how many verdicts were judged again, the flips, and what could not be judged."""

    judged: int = 0
    same: int = 0
    flips: list[Flip] = field(default_factory=list)
    unreadable: list[tuple[int, str]] = field(default_factory=list)
    next_before: int | None = None

    @property
    def false_passes(self) -> int:
        """How many flips are passes that people found to be none."""
        return sum(flip.ending is Ending.FALSE_PASS for flip in self.flips)


def diff(user: User, rulebook: Rulebook, *, before: int | None, at_once: int = AT_ONCE) -> Diff:
    """Judge the last verdicts that this person may see again; `before` is where the page before ended."""
    later = VerdictRow.objects.filter(investigation=OuterRef("investigation"), pk__gt=OuterRef("pk"))
    rows = VerdictRow.objects.filter(
        ~Exists(later), investigation__incident_id__in=visible_incidents(user).values("pk")
    )
    if before is not None:
        rows = rows.filter(pk__lt=before)
    page = list(rows.select_related("case", "investigation").order_by("-pk")[: at_once + 1])
    found = Diff(next_before=page[at_once - 1].pk if len(page) > at_once else None)
    closings = _closings([row.investigation.incident_id for row in page[:at_once]])
    for row in page[:at_once]:
        _compare(found, row, rulebook, closings.get(row.investigation.incident_id))
    return found


def _compare(found: Diff, row: VerdictRow, rulebook: Rulebook, closed: Resolution | None) -> None:
    incident = row.investigation.incident_id
    try:
        frozen = Frozen.stored(row.case)
    except (CaseUnreadable, ValueError) as error:
        found.unreadable.append((incident, str(error)))
        return
    again = verdict(frozen.case, frozen.subject, frozen.entries, rulebook)
    found.judged += 1
    if again.passed is row.passed:
        found.same += 1
        return
    found.flips.append(_flip(row, again, closed))


def _flip(row: VerdictRow, again: Verdict, closed: Resolution | None) -> Flip:
    return Flip(
        incident=row.investigation.incident_id,
        investigation=row.investigation_id,
        hypothesis=row.hypothesis,
        judged_at=row.created_at,
        passed=row.passed,
        now_passes=again.passed,
        reason=again.reason,
        decided_by=decided_by(again),
        outcome=closed.outcome if closed else "",
        ending=ending(again.passed, _actual(closed)),
    )


def _actual(closed: Resolution | None) -> Actual:
    if closed is None:
        return Actual.NOT_COMPARABLE
    target = None
    if closed.duplicate_of is not None and closed.duplicate_of.closed_at is not None:
        last = closed.duplicate_of.resolutions.order_by("pk").last()
        target = Closing(closed.duplicate_of.kind, last.outcome) if last else None
    try:
        return settled(closed.incident.kind, closed.outcome, target)
    except NoSuchOutcome:
        return Actual.NOT_COMPARABLE


def _closings(incidents: Sequence[int]) -> dict[int, Resolution]:
    """Return the last closing of each incident that is closed."""
    rows = Resolution.objects.filter(incident__in=incidents, incident__state="closed")
    return {row.incident_id: row for row in rows.select_related("incident", "duplicate_of").order_by("pk")}
