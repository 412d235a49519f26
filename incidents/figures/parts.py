"""What a page of figures is put together from, as questions to the sums. Pure."""

from datetime import date
from enum import IntEnum
from typing import NamedTuple

from incidents.figures.asking import Wanted

WEEK = "week"


class Bars(IntEnum):
    """Of which stages percentiles are wanted; each asks for all that the one before asks for."""

    NONE = 0
    RESOLVE = 1
    ALL = 2


class Part(NamedTuple):
    """The sums of a span of days under the filters: of each value of `by`, or of all where it is empty."""

    by: str  # a dimension, or WEEK, whose values are Mondays
    first: date
    last: date
    bars: Bars


class Parts(NamedTuple):
    """All parts of a page. What it is grouped by is asked for of the span before as well."""

    weeks: Part
    earlier: Part
    rules: Part
    groups: Part
    groups_earlier: Part


def parts_of(wanted: Wanted) -> Parts:
    """Return what a page needs; rules are shown on every one, with times where it is grouped by them."""
    span, before = (wanted.first, wanted.last), wanted.before
    weeks = Part(WEEK, *span, Bars.ALL)
    return Parts(
        weeks=weeks,
        earlier=Part("", *before, Bars.NONE),
        rules=Part("rule", *span, Bars.RESOLVE if wanted.group == "rule" else Bars.NONE),
        groups=weeks if wanted.group == WEEK else Part(wanted.group, *span, Bars.RESOLVE),
        groups_earlier=Part("" if wanted.group == WEEK else wanted.group, *before, Bars.NONE),
    )
