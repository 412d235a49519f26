"""Which sums are kept: of single days and of whole weeks, by up to two dimensions at once. Pure."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import combinations
from typing import NamedTuple

DAY, WEEK = 1, 7
DIMENSIONS = ("source", "team", "service", "rule", "kind")
NUMBERED = ("source", "team")  # kept by number, and as its text in the sums
#: A filter and what it is broken down by. Three at once would be more sums than there are incidents.
MOST = 2
KEPT: Sequence[tuple[str, ...]] = [
    each for count in range(MOST + 1) for each in combinations(DIMENSIONS, count)
]


class Block(NamedTuple):
    """Days in a row of which each, or each whole week, has a sum of its own; both ends are first days."""

    length: int
    first: date
    last: date


def name_of(dimensions: Sequence[str]) -> str:
    """Return what the sums by these dimensions are kept under."""
    return "+".join(each for each in DIMENSIONS if each in dimensions)


def monday_of(day: date) -> date:
    """Return the first day of a day's week."""
    return day - timedelta(days=day.weekday())


def cover(first: date, last: date) -> Iterator[Block]:
    """Yield the blocks that make up a span: its whole weeks, and the days before and after them."""
    monday = monday_of(first + timedelta(days=6))
    after = monday_of(last + timedelta(days=1))
    if monday >= after:
        yield Block(DAY, first, last)
        return
    if first < monday:
        yield Block(DAY, first, monday - timedelta(days=1))
    yield Block(WEEK, monday, after - timedelta(days=7))
    if after <= last:
        yield Block(DAY, after, last)
