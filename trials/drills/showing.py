"""What a comparison looks like on a page: its table, the confusion of labels, as rows of cells. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from trials.drills import telling
from trials.drills.comparing import NOTHING, Comparison


@dataclass(frozen=True, slots=True)
class Cell:
    """How often an expected label came out as another one, with either endpoint."""

    old: int
    new: int
    is_right: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Two sides beside one another, and what was expected against what came."""

    lines: Sequence[tuple[str, str, str]]
    heads: Sequence[str]
    confusion: Sequence[tuple[str, Sequence[Cell]]]


def table(found: Comparison, needed: int) -> Table:
    """Return a comparison as a page shows it; percentages are given from `needed` rows on."""
    has_enough = found.rows >= needed
    rates = [
        (name.strip(), telling.rate_text(old, has_enough), telling.rate_text(new, has_enough))
        for name, old, new in telling.rates(found)
    ]
    others = sorted({name for _, name in found.confusion} - {*found.labels, NOTHING})
    heads = [*found.labels, *others, NOTHING]
    return Table(
        lines=[*rates, *telling.numbers(found)],
        heads=heads,
        confusion=[
            (
                label,
                [Cell(*found.confusion.get((label, name), (0, 0)), is_right=name == label) for name in heads],
            )
            for label in found.labels
        ],
    )
