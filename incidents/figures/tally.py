"""Sums over incidents that can be added to each other in any order and give the very same figures. Pure.

A duration is kept to the nearest percent, as one bar of a histogram. Rounding keeps the order, so that a
percentile of rounded durations is the rounded percentile of the durations: adding days up loses nothing.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from incidents.figures.intervals import LOG_UNIT, Logs, Rate
from incidents.figures.stages import REOPENED_WITHIN, RESOLVE, STAGES, Counted, Ended, Judged

_STEP = math.log(1.01)
_STAGES = tuple(stage.name for stage in STAGES)
PERCENTILES = (50, 75, 90)
SKEWED = -1  # in the place of a bar: the clocks of its two ends disagree


def bar_of(seconds: float) -> int:
    """Return the bar of a duration: about one percent wide; everything under a second is one bar."""
    return 0 if seconds < 1 else round(math.log(seconds) / _STEP) + 1


def seconds_of(bar: int) -> float:
    """Return the duration that a bar stands for."""
    return 0.0 if bar == 0 else math.exp((bar - 1) * _STEP)


class Mark(NamedTuple):
    """One duration as the sums hold it: its bar, and its logarithm in LOG_UNITs."""

    bar: int
    log: int


def marks_of(one: Counted) -> Sequence[Mark | None]:
    """Return the durations of an incident that a person closed, in the order of STAGES; None is unknown."""
    return [_mark(one.seconds(stage)) for stage in STAGES] if one.ended is Ended.PERSON else []


def _mark(seconds: float | None) -> Mark | None:
    if seconds is None:
        return None
    if seconds < 0:
        return Mark(SKEWED, 0)
    return Mark(bar_of(seconds), round(math.log(max(seconds, 1.0)) * LOG_UNIT))


class Texts(NamedTuple):
    """A sum as stored text. What only some readers need stands apart: most ask for few bars, or for none."""

    body: str
    resolve: str  # the bars of the stage RESOLVE
    stages: str  # the bars of the others


@dataclass(slots=True)
class Times:
    """The durations of one stage: a histogram, their logarithms, and those whose clocks cannot be right."""

    bars: dict[int, int] = field(default_factory=dict)
    count: int = 0
    total: int = 0
    squares: int = 0
    skewed: int = 0

    def note(self, mark: Mark, sign: int = 1) -> None:
        """Count one duration in, or out again; one below zero is counted apart."""
        bar, log = mark
        if bar == SKEWED:
            self.skewed += sign
            return
        self.bars[bar] = self.bars.get(bar, 0) + sign
        self.count += sign
        self.total += sign * log
        self.squares += sign * log * log

    def note_alike(self, bar: int, count: int, total: int, squares: int) -> None:
        """Count durations of one bar in, with the sums of their logarithms."""
        if bar == SKEWED:
            self.skewed += count
        else:
            self.add(Times({bar: count}, count, total, squares))

    def add(self, other: "Times") -> None:
        """Add the durations of another sum to this one."""
        bars, found = self.bars, self.bars.get
        for bar, count in other.bars.items():
            bars[bar] = found(bar, 0) + count
        self.count += other.count
        self.total += other.total
        self.squares += other.squares
        self.skewed += other.skewed

    @property
    def logs(self) -> Logs:
        """The logarithms' sums."""
        return Logs(self.count, self.total, self.squares)

    def percentile(self, wanted: int) -> float | None:
        """Return the duration that so many percent do not pass, by nearest rank; None of nothing."""
        rank = math.ceil(self.count * wanted / 100)
        for bar in sorted(self.bars):
            rank -= self.bars[bar]
            if rank <= 0:
                return seconds_of(bar)
        return None


@dataclass(slots=True)
class Tally:
    """Everything that is counted of a set of incidents."""

    ended: dict[str, int] = field(default_factory=dict)
    judged: dict[str, int] = field(default_factory=dict)
    times: dict[str, Times] = field(default_factory=lambda: defaultdict(Times))
    closings: dict[str, list[int]] = field(default_factory=dict)  # by day: first closings, reopened ones
    comparable: int = 0
    overrides: int = 0

    @classmethod
    def of(cls, incidents: Iterable[Counted]) -> "Tally":
        """Count incidents one by one."""
        tally = cls()
        for each in incidents:
            tally.note(each, marks_of(each))
        return tally

    def note(self, one: Counted, marks: Sequence[Mark | None], sign: int = 1) -> None:
        """Count one incident with its durations in, or out again."""
        self.note_alike(one, sign, sign * one.was_reopened)
        for name, mark in zip(_STAGES, marks, strict=False):  # there are none of one that no person closed
            if mark is not None:
                self.times[name].note(mark, sign)

    def note_alike(self, one: Counted, count: int, reopened: int) -> None:
        """Count so many incidents like this one in, but for their durations; so many of them were reopened.

        Overrides are of those that a person closed.
        """
        ended = one.ended.value  # hashing the word is several times as fast as hashing the member
        self.ended[ended] = self.ended.get(ended, 0) + count
        if one.ended is not Ended.DRILL:
            judged = one.judged.value
            self.judged[judged] = self.judged.get(judged, 0) + count
        is_closed = one.ended is Ended.PERSON
        if one.first_closed_on is not None and (is_closed or one.ended is Ended.OPEN):
            counts = self.closings.setdefault(one.first_closed_on.isoformat(), [0, 0])
            counts[0] += count
            counts[1] += reopened
        if is_closed:
            self.comparable += count * one.is_comparable
            self.overrides += count * one.is_override

    def add(self, other: "Tally") -> None:
        """Add another sum to this one."""
        for mine, theirs in ((self.ended, other.ended), (self.judged, other.judged)):
            for name, count in theirs.items():
                mine[name] = mine.get(name, 0) + count
        for stage, times in other.times.items():
            self.times[stage].add(times)
        for day, (closed, reopened) in other.closings.items():
            counts = self.closings.setdefault(day, [0, 0])
            counts[0] += closed
            counts[1] += reopened
        self.comparable += other.comparable
        self.overrides += other.overrides

    @property
    def count(self) -> int:
        """All incidents."""
        return sum(self.ended.values())

    def stage(self, name: str) -> Times:
        """Return a stage's durations, none where there are none."""
        return self.times.get(name) or Times()

    def reopened(self, today: date) -> Rate:
        """Return how many of the closings that are old enough to tell were reopened in time."""
        ripe = [
            counts
            for day, counts in self.closings.items()
            if date.fromisoformat(day) + REOPENED_WITHIN < today
        ]
        return Rate(sum(reopened for _, reopened in ripe), sum(closed for closed, _ in ripe))

    def too_young(self, today: date) -> Rate:
        """Return the closings that may still be reopened in time, and how many of them were already."""
        young = [
            counts
            for day, counts in self.closings.items()
            if date.fromisoformat(day) + REOPENED_WITHIN >= today
        ]
        return Rate(sum(reopened for _, reopened in young), sum(closed for closed, _ in young))

    @property
    def overridden(self) -> Rate:
        """How many outcomes that could contradict their verdict did."""
        return Rate(self.overrides, self.comparable)

    @property
    def covered(self) -> Rate:
        """How many judged incidents had a rule."""
        judged = sum(count for name, count in self.judged.items() if name != Judged.NONE)
        return Rate(judged - self.judged.get(Judged.NO_RULE, 0), judged)

    def to_texts(self) -> Texts:
        """Return the sum as stored text, without the names and bars that came to nothing."""
        times = {name: each for name, each in self.times.items() if each.count or each.skewed}
        body = [
            {name: count for name, count in self.ended.items() if count},
            {name: count for name, count in self.judged.items() if count},
            {name: [each.count, each.total, each.squares, each.skewed] for name, each in times.items()},
            {day: counts for day, counts in self.closings.items() if any(counts)},
            self.comparable,
            self.overrides,
        ]
        bars = {name: _flat(each) for name, each in times.items() if each.count}
        return Texts(_text(body), _text(bars.pop(RESOLVE, [])), _text(bars))

    @classmethod
    def from_texts(cls, body: str, resolve: str = "", stages: str = "") -> "Tally":
        """Read `to_texts`' texts back. Stages whose bars were left out have everything but percentiles."""
        ended, judged, logs, closings, comparable, overrides = json.loads(body)
        times: dict[str, Times] = defaultdict(Times)
        for name, (count, total, squares, skewed) in logs.items():
            times[name] = Times({}, count, total, squares, skewed)
        if resolve:
            times[RESOLVE].bars = _paired(json.loads(resolve))
        if stages:
            for name, flat in json.loads(stages).items():
                times[name].bars = _paired(flat)
        return cls(ended, judged, times, closings, comparable, overrides)


def _flat(times: Times) -> list[int]:
    """Bars and counts in turns: a list of pairs takes twice as long to read."""
    return [number for bar, count in sorted(times.bars.items()) if count for number in (bar, count)]


def _paired(flat: list[int]) -> dict[int, int]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)
