"""How incidents really ended, as people closed them: many at once, for whatever compares verdicts with it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

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
    """Return how each of these incidents ended; those that are not closed are left out."""
    last = _last(incidents)
    targets = _last({each.target for each in last.values() if each.target is not None})
    return {number: _ended(each, targets.get(each.target or 0)) for number, each in last.items()}


class _Row(NamedTuple):
    """A closing, without what nobody compares: there may be many thousands."""

    incident: int
    kind: str
    outcome: str
    target: int | None
    first: str | None
    last: str | None
    username: str | None
    by_rule: str


def _last(incidents: Iterable[int]) -> dict[int, _Row]:
    wanted = list(incidents)
    if not wanted:
        return {}
    rows = Resolution.objects.filter(incident__in=wanted, incident__state=State.CLOSED).order_by("pk")
    columns = (
        "incident_id",
        "incident__kind",
        "outcome",
        "duplicate_of_id",
        "by__first_name",
        "by__last_name",
        "by__username",
        "by_rule",
    )
    return {row[0]: _Row(*row) for row in rows.values_list(*columns)}  # a later one takes the place


def _ended(row: _Row, of_target: _Row | None) -> Ended:
    target = None if of_target is None else Closing(of_target.kind, of_target.outcome)
    try:
        actual = settled(row.kind, row.outcome, target)
    except NoSuchOutcome:  # closed under an older table
        actual = Actual.NOT_COMPARABLE
    by = f"{row.first or ''} {row.last or ''}".strip() or row.username or f"the rule {row.by_rule}"
    return Ended(row.outcome, by, target, actual)
