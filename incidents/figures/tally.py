"""Sums over incidents that can be added to each other in any order and give the very same figures. Pure.

A duration is kept to the nearest percent, as one bar of a histogram. Rounding keeps the order, so that a
percentile of rounded durations is the rounded percentile of the durations: adding days up loses nothing.
"""

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from incidents.figures.intervals import LOG_UNIT, Logs, Rate
from incidents.figures.stages import REOPENED_WITHIN, STAGES, Counted, Ended, Judged

_STEP = math.log(1.01)
PERCENTILES = (50, 75, 90)


def bar_of(seconds: float) -> int:
    """Return the bar of a duration: about one percent wide; everything under a second is one bar."""
    return 0 if seconds < 1 else round(math.log(seconds) / _STEP) + 1


def seconds_of(bar: int) -> float:
    """Return the duration that a bar stands for."""
    return 0.0 if bar == 0 else math.exp((bar - 1) * _STEP)


@dataclass(slots=True)
class Times:
    """The durations of one stage: a histogram, their logarithms, and those whose clocks cannot be right."""

    bars: dict[int, int] = field(default_factory=dict)
    logs: Logs = field(default_factory=Logs)
    skewed: int = 0

    def note(self, seconds: float, sign: int = 1) -> None:
        """Count one duration in, or out again; one below zero is counted apart."""
        if seconds < 0:
            self.skewed += sign
            return
        bar = bar_of(seconds)
        self.bars[bar] = self.bars.get(bar, 0) + sign
        log = round(math.log(max(seconds, 1.0)) * LOG_UNIT)
        self.logs = self.logs + Logs(sign, sign * log, sign * log * log)

    def add(self, other: "Times") -> None:
        """Add the durations of another sum to this one."""
        bars = self.bars
        for bar, count in other.bars.items():
            bars[bar] = bars.get(bar, 0) + count
        self.logs = self.logs + other.logs
        self.skewed += other.skewed

    @property
    def count(self) -> int:
        """How many durations there are."""
        return self.logs.count

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
    times: dict[str, Times] = field(default_factory=dict)
    closings: dict[str, list[int]] = field(default_factory=dict)  # by day: first closings, reopened ones
    comparable: int = 0
    overrides: int = 0

    @classmethod
    def of(cls, incidents: Iterable[Counted]) -> "Tally":
        """Count incidents one by one."""
        tally = cls()
        for each in incidents:
            tally.note(each)
        return tally

    def note(self, one: Counted, sign: int = 1) -> None:
        """Count one incident in, or out again. Times and overrides are of those that a person closed."""
        self.ended[one.ended] = self.ended.get(one.ended, 0) + sign
        if one.ended != Ended.DRILL:
            self.judged[one.judged] = self.judged.get(one.judged, 0) + sign
        if one.ended not in (Ended.PERSON, Ended.OPEN):
            return
        if one.first_closed_on is not None:
            counts = self.closings.setdefault(one.first_closed_on.isoformat(), [0, 0])
            counts[0] += sign
            counts[1] += sign * one.was_reopened
        if one.ended is not Ended.PERSON:
            return
        self.comparable += sign * one.is_comparable
        self.overrides += sign * one.is_override
        for stage in STAGES:
            seconds = one.seconds(stage)
            if seconds is not None:
                self.times.setdefault(stage.name, Times()).note(seconds, sign)

    def add(self, other: "Tally") -> None:
        """Add another sum to this one."""
        for mine, theirs in ((self.ended, other.ended), (self.judged, other.judged)):
            for name, count in theirs.items():
                mine[name] = mine.get(name, 0) + count
        for stage, times in other.times.items():
            self.times.setdefault(stage, Times()).add(times)
        for day, (closed, reopened) in other.closings.items():
            counts = self.closings.setdefault(day, [0, 0])
            counts[0] += closed
            counts[1] += reopened
        self.comparable += other.comparable
        self.overrides += other.overrides

    def without_zeros(self) -> "Tally":
        """Return the same sum without the names and bars that came to nothing."""
        times = {
            name: Times({bar: count for bar, count in each.bars.items() if count}, each.logs, each.skewed)
            for name, each in self.times.items()
            if each.count or each.skewed
        }
        return Tally(
            {name: count for name, count in self.ended.items() if count},
            {name: count for name, count in self.judged.items() if count},
            times,
            {day: counts for day, counts in self.closings.items() if any(counts)},
            self.comparable,
            self.overrides,
        )

    @property
    def count(self) -> int:
        """All incidents."""
        return sum(self.ended.values())

    def stage(self, name: str) -> Times:
        """Return a stage's durations, none where there are none."""
        return self.times.get(name, Times())

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

    def to_text(self) -> str:
        """Return the sum as stored text. A stage's bars are text inside it: most readers need few of them."""
        times = {
            name: [_packed(each.bars), [each.logs.count, each.logs.total, each.logs.squares], each.skewed]
            for name, each in self.times.items()
        }
        parts = [self.ended, self.judged, times, self.closings, self.comparable, self.overrides]
        return json.dumps(parts, separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str, *, stages: Collection[str] | None = None) -> "Tally":
        """Read `to_text`'s text back; where stages are named, only they get their bars."""
        ended, judged, packed, closings, comparable, overrides = json.loads(text)
        times = {
            name: Times(_unpacked(bars) if stages is None or name in stages else {}, Logs(*logs), skewed)
            for name, (bars, logs, skewed) in packed.items()
        }
        return cls(ended, judged, times, closings, comparable, overrides)


def _packed(bars: Mapping[int, int]) -> str:
    return json.dumps([number for bar in sorted(bars) for number in (bar, bars[bar])], separators=(",", ":"))


def _unpacked(packed: str) -> dict[int, int]:
    flat = json.loads(packed)
    return dict(zip(flat[::2], flat[1::2], strict=True))
