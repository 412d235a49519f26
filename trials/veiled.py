"""What trials tell of incidents whose pass a person has yet to audit: nothing, until they have answered."""

from collections.abc import Collection, Iterable, Sequence

from accounts.models import User
from incidents import veiling
from trials.models import DrillRow, GoldenRow


def kept_from(user: User) -> frozenset[int]:
    """Return the numbers of the incidents that this person has yet to answer an audit of."""
    return frozenset(veiling.veiled(user))


def marked(rows: Iterable[GoldenRow], kept: Collection[int]) -> Sequence[GoldenRow]:
    """Return golden rows, each with whether its label is kept back, as `is_veiled`."""
    found = list(rows)
    for row in found:
        row.is_veiled = row.incident_id in kept  # type: ignore[attr-defined] # for the page alone
    return found


def rows_kept(ids: Collection[str], kept: Collection[int]) -> frozenset[str]:
    """Return those of the ids that, in any golden set, are of such an incident."""
    if not kept:
        return frozenset()
    found = GoldenRow.objects.filter(row_id__in=ids, incident_id__in=kept)
    return frozenset(found.values_list("row_id", flat=True))


def run_kept(runs: Iterable[int], user: User) -> str:
    """Return why what runs of drills come to is kept from a person; empty where it is not.

    Their counts, their files and the names of their rows would say how a row is labelled.
    """
    kept = kept_from(user)
    if not kept:
        return ""
    named = DrillRow.objects.filter(run__in=runs).values("row_id")
    found = GoldenRow.objects.filter(incident_id__in=kept, row_id__in=named).values_list(
        "incident_id", flat=True
    )
    number = found.first()
    return f"A row of this drill is of that incident. {answer_first(number)}" if number else ""


def answer_first(incident: int) -> str:
    """Return why something is kept back, and what to do."""
    return f"You audit incident {incident}: what was decided is shown once you have answered, under Audits."
