"""How incidents really ended, as people closed them: many at once, for whatever compares verdicts with it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from incidents.models import Resolution
from incidents.states import State
from verdicts.closings import Actual, Closing, NoSuchOutcome, settled


@dataclass(frozen=True, slots=True)
class Ended:
    """The last closing of a closed incident: its outcome, who closed it, and what that says was so."""

    outcome: str
    by: str
    target: Closing | None
    actual: Actual


def ended(incidents: Iterable[int]) -> Mapping[int, Ended]:
    """Return how each of these incidents ended; those that are not closed are left out. Three queries."""
    last = _last(incidents)
    targets = _last({each.duplicate_of_id for each in last.values() if each.duplicate_of_id is not None})
    return {
        number: _ended(each, targets.get(each.duplicate_of_id) if each.duplicate_of_id else None)
        for number, each in last.items()
    }


def _last(incidents: Iterable[int]) -> dict[int, Resolution]:
    rows = Resolution.objects.filter(incident__in=list(incidents), incident__state=State.CLOSED)
    newest = rows.order_by("incident_id", "-pk").distinct("incident_id")
    return {each.incident_id: each for each in newest.select_related("incident", "by")}


def _ended(row: Resolution, of_target: Resolution | None) -> Ended:
    target = None if of_target is None else Closing(of_target.incident.kind, of_target.outcome)
    try:
        actual = settled(row.incident.kind, row.outcome, target)
    except NoSuchOutcome:  # closed under an older table
        actual = Actual.NOT_COMPARABLE
    return Ended(row.outcome, str(row.by), target, actual)
