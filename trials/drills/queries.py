"""What pages and commands show of drills, as plain values."""

from dataclasses import dataclass

from trials.drills import booking
from trials.drills.answers import Answer
from trials.models import DisagreementRead, Drill


@dataclass(frozen=True, slots=True)
class Difference:
    """One row in which the two runs of a drill differ: its text, and both answers with their replies."""

    row_id: str
    title: str
    body: str
    old: Answer
    new: Answer
    read_by: tuple[str, ...]


def difference(drill: Drill, row_id: str) -> Difference:
    """Return one row of a drill. Raises LookupError for a row that it does not have."""
    text = drill.texts[row_id]
    return Difference(
        row_id,
        text["title"],
        text["body"],
        booking.answer_of_row(drill.baseline, row_id),
        booking.answer_of_row(drill.candidate, row_id),
        tuple(
            DisagreementRead.objects.filter(drill=drill, row_id=row_id)
            .order_by("pk")
            .values_list("by", flat=True)
        ),
    )
