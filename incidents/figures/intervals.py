"""What a sample says about a rate, and two groups of durations about their ratio. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from incidents.figures import beta

LEVEL = 0.95
FEW = 5  # of fewer, a percentage says more than is known: the fraction is printed
LOG_UNIT = 1_000_000  # logarithms are summed as whole millionths, so that no order of adding changes a figure


@dataclass(frozen=True, slots=True)
class Interval:
    """The span that holds the true value with the chance of LEVEL. One-sided where `low` is 0 by rule."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Rate:
    """So many of so many."""

    hits: int
    of: int

    @property
    def share(self) -> float | None:
        """The share, or None of nothing."""
        return self.hits / self.of if self.of else None

    @property
    def text(self) -> str:
        """A percentage, the fraction where there are few, a dash where there is none."""
        if not self.of:
            return "–"
        if self.of < FEW:
            return f"{self.hits} of {self.of}"
        return percent(self.hits / self.of)


@dataclass(frozen=True, slots=True)
class Logs:
    """Durations by their logarithms: how many, their sum, the sum of their squares, in LOG_UNITs."""

    count: int = 0
    total: int = 0
    squares: int = 0

    def __add__(self, other: "Logs") -> "Logs":
        return Logs(self.count + other.count, self.total + other.total, self.squares + other.squares)

    @property
    def mean(self) -> float:
        """The mean logarithm; there has to be one."""
        return self.total / self.count / LOG_UNIT

    @property
    def variance(self) -> float:
        """The sample variance of the logarithms; there have to be two."""
        # Whole numbers to the last step: the difference of the two large terms is exact.
        return (self.squares * self.count - self.total**2) / (self.count * (self.count - 1)) / LOG_UNIT**2


@dataclass(frozen=True, slots=True)
class Change:
    """The ratio of geometric means, now to before, with its interval; None where there are too few."""

    ratio: float | None
    interval: Interval | None

    @property
    def words(self) -> str:
        """Say what may be said: `cannot tell yet` where the interval crosses 1, or where it is missing."""
        if self.ratio is None or self.interval is None:
            return "cannot tell yet: too few"
        if self.interval.low <= 1 <= self.interval.high:
            return "cannot tell yet"
        return "longer than before" if self.ratio > 1 else "shorter than before"


def clopper_pearson(hits: int, of: int, *, level: float = LEVEL) -> Interval:
    """Return the exact interval of a rate. With no hit at all it is one-sided, and so is its mirror.

    Nothing sampled says nothing: 0 to 1. Raises ValueError for counts that cannot be.
    """
    if not 0 <= hits <= of:
        raise ValueError(f"{hits} of {of} cannot be a rate: give 0 <= hits <= of")
    if of == 0:
        return Interval(0.0, 1.0)
    alpha = 1 - level
    if hits == 0:
        return Interval(0.0, 1 - alpha ** (1 / of))
    if hits == of:
        return Interval(alpha ** (1 / of), 1.0)
    return Interval(
        beta.quantile(alpha / 2, hits, of - hits + 1), beta.quantile(1 - alpha / 2, hits + 1, of - hits)
    )


@dataclass(frozen=True, slots=True)
class Stratum:
    """One rule's audits, and how many of all passes were earned under it."""

    false_passes: int
    audited: int
    passes: int


def weighted(strata: Sequence[Stratum], *, level: float = LEVEL) -> tuple[float | None, Interval]:
    """Return the rate over all rules, each by its share of the passes, with an interval that holds for all.

    Each rule's own bound is drawn at the chance of error divided by their number. A rule with passes and no
    audit leaves the rate unknown (None) and counts as 0 to 1 in the interval.
    """
    counting = [each for each in strata if each.passes]
    total = sum(each.passes for each in counting)
    if not total:
        return None, Interval(0.0, 1.0)
    each_level = 1 - (1 - level) / len(counting)
    low = high = rate = 0.0
    known = True
    for each in counting:
        weight = each.passes / total
        interval = clopper_pearson(each.false_passes, each.audited, level=each_level)
        low, high = low + weight * interval.low, high + weight * interval.high
        known = known and each.audited > 0
        rate += weight * each.false_passes / each.audited if each.audited else 0.0
    return (rate if known else None), Interval(low, min(1.0, high))


def change(before: Logs, now: Logs, *, level: float = LEVEL) -> Change:
    """Return the ratio of the geometric means of two groups: Welch's interval, on logarithms."""
    if before.count < 2 or now.count < 2:
        return Change(None, None)
    step = now.mean - before.mean
    parts = (before.variance / before.count, now.variance / now.count)
    spread = sum(parts)
    if spread <= 0:
        return Change(math.exp(step), None)
    freedom = spread**2 / (parts[0] ** 2 / (before.count - 1) + parts[1] ** 2 / (now.count - 1))
    reach = beta.student(freedom, level) * math.sqrt(spread)
    return Change(math.exp(step), Interval(math.exp(step - reach), math.exp(step + reach)))


def percent(share: float) -> str:
    """Return a share as text: one digit after the point below ten percent."""
    value = share * 100
    return f"{value:.1f} %" if value < 10 else f"{value:.0f} %"
