"""What a golden set holds, for commands and pages: labels, origins, candidates, age, what is missing."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from trials.golden import keeping
from trials.golden.rows import cautions
from trials.models import GoldenSet

_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Shown:
    """One version of a set as it is shown. Ages are whole days, None where there is no row."""

    name: str
    version: int
    contract: str
    digest: str  # empty while it is open
    frozen_at: datetime | None
    by_label: Mapping[str, int]
    by_origin: Mapping[str, int]
    rows: int
    hard: int
    frozen_part: int
    candidates: tuple[str, ...]
    oldest: int | None
    middle: int | None
    cautions: tuple[str, ...]


def shown(golden: GoldenSet, labels: Sequence[str], *, now: datetime) -> Shown:
    """Return what a version holds."""
    rows = keeping.rows_of(golden)
    written = golden.rows.exclude(confirmed_at=None).values_list("written_at", flat=True)
    ages = [max(0, int((now - at).total_seconds() // _DAY)) for at in written]
    counted = Counter(row.label for row in rows)
    return Shown(
        name=golden.name,
        version=golden.version,
        contract=golden.contract,
        digest=golden.digest,
        frozen_at=golden.frozen_at,
        by_label={label: counted[label] for label in labels},
        by_origin=Counter(row.origin.value for row in rows),
        rows=len(rows),
        hard=sum(bool(row.hard) for row in rows),
        frozen_part=sum(row.is_frozen for row in rows),
        candidates=tuple(row.row_id for row in keeping.candidates_of(golden)),
        oldest=max(ages, default=None),
        middle=int(median(ages)) if ages else None,
        cautions=tuple(cautions(rows, labels)),
    )


def lines(found: Shown) -> Iterator[str]:
    """Yield what a command prints of it."""
    state = f"frozen {found.frozen_at:%Y-%m-%d}, {found.digest}" if found.frozen_at else "open"
    yield f"{found.name} {found.version} (labels of contract {found.contract}): {state}"
    yield f"{found.rows} rows, {found.hard} hard, {found.frozen_part} of the frozen part"
    yield "labels: " + ", ".join(f"{label} {count}" for label, count in found.by_label.items())
    yield "origins: " + (
        ", ".join(f"{name} {count}" for name, count in sorted(found.by_origin.items())) or "none"
    )
    if found.oldest is not None:
        yield f"age: the oldest {found.oldest} days, half of them {found.middle} days or more"
    for name in found.candidates:
        yield f"candidate: {name}"
