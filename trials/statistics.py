"""What paired rows, repeated trials and repeated looks say. Pure: no clock, no database, no randomness.

Intervals of a single rate (Clopper-Pearson) are those of incidents.figures.intervals.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

_HALVINGS = 60
_MOST_ROWS = 4_000
_NEVER = 1e-15  # what is rarer than this changes no digit that anybody reads


@dataclass(frozen=True, slots=True)
class Paired:
    """McNemar's test of the rows that two endpoints answered differently.

    `lost` rows the old one had right and the new one wrong, `gained` rows the reverse.
    """

    lost: int
    gained: int
    p: float
    mid_p: float

    def is_against(self, level: float) -> bool:
        """Whether the new one is worse, at this chance of saying so of two that are alike."""
        return self.lost > self.gained and self.p < level


@dataclass(frozen=True, slots=True)
class Trials:
    """How often one item was tried, and how often that went well."""

    of: int
    well: int

    def __post_init__(self) -> None:
        if not 0 <= self.well <= self.of:
            raise ValueError(f"{self.well} of {self.of} trials cannot have gone well")


@dataclass(frozen=True, slots=True)
class Difference:
    """The rates at which a change is wrong where it was right, and right where it was wrong, row by row."""

    lost: float
    gained: float

    def __post_init__(self) -> None:
        if not (0 <= self.gained <= 1 and 0 <= self.lost <= 1 and self.lost + self.gained <= 1):
            raise ValueError(
                f"lost {self.lost} and gained {self.gained} are no rates: each is 0 to 1, and so is their sum"
            )


def mcnemar(lost: int, gained: int) -> Paired:
    """Return McNemar's exact test: p = 2 P(Bin(lost + gained, 1/2) <= min), at most 1.

    The mid-p value counts half of what is exactly as extreme as that which was seen, on both sides. Rows
    that both have right, or both wrong, say nothing about which is better and are not asked for.
    Source: Q. McNemar, Psychometrika 12 (1947); mid-p: M. Fagerland and others, BMC Medical Research
    Methodology 13:91 (2013). Raises ValueError for a count below 0.
    """
    if lost < 0 or gained < 0:
        raise ValueError(f"{lost} lost and {gained} gained cannot be counted: neither is below 0")
    rows, least = lost + gained, min(lost, gained)
    below = sum(math.comb(rows, each) for each in range(least + 1))
    twice, exactly, all_ways = 2 * below, math.comb(rows, least), 2**rows
    # Whole numbers to the last step: a p value at a limit is then on its right side.
    return Paired(lost, gained, min(1.0, twice / all_ways), min(1.0, (twice - exactly) / all_ways))


def pass_at(trials: Iterable[Trials], k: int) -> float | None:
    """Return pass@k: the chance that at least one of k trials of an item goes well, the mean over items.

    1 - C(n-c, k) / C(n, k). Items with fewer than k trials cannot say and are left out; None where none can.
    Source: M. Chen and others, Evaluating Large Language Models Trained on Code (2021).
    """
    return _mean(1 - _share(each.of - each.well, each.of, k) for each in _tried(trials, k))


def pass_all(trials: Iterable[Trials], k: int) -> float | None:
    """Return pass^k: the chance that all of k trials of an item go well, the mean over items.

    C(c, k) / C(n, k); as pass_at for what is left out. Source: S. Yao and others, tau-bench (2024).
    """
    return _mean(_share(each.well, each.of, k) for each in _tried(trials, k))


def _tried(trials: Iterable[Trials], k: int) -> Iterator[Trials]:
    if k < 1:
        raise ValueError(f"k is {k}: give at least 1")
    return (each for each in trials if each.of >= k)


def _share(chosen: int, of: int, k: int) -> float:
    return math.comb(chosen, k) / math.comb(of, k)


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return math.fsum(found) / len(found) if found else None


def evidence_against(hits: int, of: int, rate: float) -> float:
    """Return the mixture e-value against `rate` being the true one: how many times better Beta(1/2, 1/2)
    foretells what was seen.

    Its mean stays 1 for as long as the rate is true, however often one looks: that it ever reaches 1/alpha
    has at most the chance alpha (Ville). Source: H. Robbins, Annals of Mathematical Statistics 41 (1970).
    Raises ValueError for counts, or a rate, that cannot be.
    """
    _refuse_counts(hits, of)
    if not 0 <= rate <= 1:
        raise ValueError(f"{rate} is no rate: give 0 to 1")
    if (hits and rate == 0) or (of - hits and rate == 1):
        return math.inf
    exponent = _log_mixture(hits, of) - _log_likelihood(hits, of, rate)
    return math.exp(exponent) if exponent < 700 else math.inf


def highest_at_any_time(hits: int, of: int, *, alpha: float = 0.05) -> float:
    """Return the upper bound of a rate that holds at any time of looking, and at all of them together.

    The largest p with B(x+1/2, n-x+1/2) / B(1/2, 1/2) <= p^x (1-p)^(n-x) / alpha. Call it "valid at any
    time" where it is shown: it is wider than a bound for one look.
    """
    return _edge(hits, of, alpha, towards=1.0)


def lowest_at_any_time(hits: int, of: int, *, alpha: float = 0.05) -> float:
    """Return the lower bound that belongs to highest_at_any_time."""
    return _edge(hits, of, alpha, towards=0.0)


def _edge(hits: int, of: int, alpha: float, *, towards: float) -> float:
    """Return the last rate between the one seen and `towards` that the evidence leaves standing."""
    _refuse_counts(hits, of)
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha}: give a chance between 0 and 1")
    if of == 0 or evidence_against(hits, of, towards) <= 1 / alpha:
        return towards
    stands, falls = hits / of, towards
    for _ in range(_HALVINGS):
        middle = (stands + falls) / 2
        if evidence_against(hits, of, middle) <= 1 / alpha:
            stands = middle
        else:
            falls = middle
    return stands


def is_above_at_any_time(hits: int, of: int, limit: float, *, alpha: float = 0.05) -> bool:
    """Whether a rate is above its limit: an alarm that does not cry wolf, however often one looks."""
    return of > 0 and hits / of > limit and evidence_against(hits, of, limit) >= 1 / alpha


def _log_mixture(hits: int, of: int) -> float:
    return (
        math.lgamma(hits + 0.5) + math.lgamma(of - hits + 0.5) - math.lgamma(of + 1.0) - 2 * math.lgamma(0.5)
    )


def _log_likelihood(hits: int, of: int, rate: float) -> float:
    likely = hits * math.log(rate) if hits else 0.0
    return likely + ((of - hits) * math.log1p(-rate) if of > hits else 0.0)


def power(rows: int, difference: Difference, *, level: float = 0.05) -> float:
    """Return the chance that McNemar's mid-p test on so many rows notices a difference of that size.

    Exact: each number of differing rows by its chance, and each split of it.
    """
    differing = difference.lost + difference.gained
    if differing == 0 or rows <= 0:
        return 0.0
    lost = difference.lost / differing
    chances = ((count, _chance(rows, count, differing)) for count in range(rows + 1))
    return math.fsum(
        chance
        * math.fsum(_chance(count, count - gained, lost) for gained in range(_most_gained(count, level)))
        for count, chance in chances
        if chance > _NEVER
    )


def rows_needed(wanted: float, difference: Difference, *, level: float = 0.05) -> int:
    """Return the fewest rows at which the power is at least what is wanted. Raises ValueError.

    Power rises with the rows but for small steps down; that of the number returned is reached.
    """
    if not 0 < wanted < 1 or difference.lost <= difference.gained:
        raise ValueError("Give a power between 0 and 1, and a difference that loses more than it gains.")
    low, high = 0, 16
    while power(high, difference, level=level) < wanted:
        low, high = high, high * 2
        if high > _MOST_ROWS:
            raise ValueError(f"More than {_MOST_ROWS} rows would be needed: ask for less power.")
    while high - low > 1:
        middle = (low + high) // 2
        if power(middle, difference, level=level) < wanted:
            low = middle
        else:
            high = middle
    return high


@cache
def _most_gained(differing: int, level: float) -> int:
    """Return how many numbers of gained rows, from 0 up, leave the test saying worse."""
    below, ways, all_ways = 0, 1, 2**differing
    for gained in range(differing // 2 + 1):
        below += ways
        if (2 * below - ways) / all_ways >= level:
            return gained
        ways = ways * (differing - gained) // (gained + 1)
    return 0


def _chance(of: int, hits: int, rate: float) -> float:
    """Return the binomial chance of exactly so many hits."""
    if rate in (0.0, 1.0):
        return float(hits == of * rate)
    ways = math.lgamma(of + 1) - math.lgamma(hits + 1) - math.lgamma(of - hits + 1)
    return math.exp(ways + hits * math.log(rate) + (of - hits) * math.log1p(-rate))


def _refuse_counts(hits: int, of: int) -> None:
    if not 0 <= hits <= of:
        raise ValueError(f"{hits} of {of} cannot be a rate: give 0 <= hits <= of")
