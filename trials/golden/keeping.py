"""Golden sets as they are stored."""

from trials.golden.rows import Row
from trials.models import GoldenRow, GoldenSet
from trials.states import Origin


def frozen_rows(name: str) -> tuple[Row, ...] | None:
    """Return the rows of the newest frozen version of a set, or None where there is none."""
    golden = GoldenSet.objects.filter(name=name).exclude(frozen_at=None).order_by("-version").first()
    return None if golden is None else rows_of(golden)


def rows_of(golden: GoldenSet) -> tuple[Row, ...]:
    """Return the confirmed rows of a version."""
    return tuple(_row(row) for row in golden.rows.exclude(confirmed_at=None).order_by("pk"))


def _row(row: GoldenRow) -> Row:
    return Row(
        id=row.row_id,
        label=row.label,
        title=row.title,
        body=row.body,
        target=row.target,
        hard=row.hard,
        origin=Origin(row.origin),
        is_frozen=row.is_frozen,
    )
