"""The statistics held to SciPy on random numbers: its import is too slow for the pure tests."""

import math
import random
from collections.abc import Callable

import pytest
from scipy import special

from incidents.figures.intervals import clopper_pearson
from trials.statistics import (
    Trials,
    evidence_against,
    highest_at_any_time,
    is_above_at_any_time,
    lowest_at_any_time,
    mcnemar,
    pass_all,
    pass_at,
)

_CHANCE = random.Random(20261130)


def test_mcnemar_equals_scipys_binomial_on_random_counts() -> None:
    for _ in range(200):
        lost, gained = _CHANCE.randrange(60), _CHANCE.randrange(60)
        least, rows = min(lost, gained), lost + gained
        below = special.bdtr(least, rows, 0.5)
        exactly = below - (special.bdtr(least - 1, rows, 0.5) if least else 0)
        found = mcnemar(lost, gained)
        assert found.p == pytest.approx(min(1.0, 2 * below), abs=1e-12)
        assert found.mid_p == pytest.approx(min(1.0, 2 * below - exactly), abs=1e-12)


def test_clopper_pearson_equals_scipys_beta_on_random_counts() -> None:
    for _ in range(25):
        of = _CHANCE.randrange(1, 900)
        hits = _CHANCE.randrange(of + 1)
        found = clopper_pearson(hits, of)
        if hits == 0:
            wanted = (0.0, special.betaincinv(1, of, 0.95))
        elif hits == of:
            wanted = (special.betaincinv(of, 1, 0.05), 1.0)
        else:
            wanted = (
                special.betaincinv(hits, of - hits + 1, 0.025),
                special.betaincinv(hits + 1, of - hits, 0.975),
            )
        assert (found.low, found.high) == pytest.approx(wanted, abs=1e-9)


def test_pass_at_and_pass_all_equal_scipys_combinations_on_random_trials() -> None:
    for _ in range(100):
        k = _CHANCE.randrange(1, 6)
        tried = [Trials(of=n, well=_CHANCE.randrange(n + 1)) for n in _CHANCE.choices(range(k, 15), k=5)]
        bad = [special.comb(each.of - each.well, k) / special.comb(each.of, k) for each in tried]
        good = [special.comb(each.well, k) / special.comb(each.of, k) for each in tried]
        assert pass_at(tried, k) == pytest.approx(1 - sum(bad) / 5, abs=1e-12)
        assert pass_all(tried, k) == pytest.approx(sum(good) / 5, abs=1e-12)


def test_the_evidence_equals_scipys_beta_functions_and_its_bounds_are_where_it_is_twenty() -> None:
    for _ in range(40):
        of = _CHANCE.randrange(1, 400)
        hits, rate = _CHANCE.randrange(of + 1), _CHANCE.uniform(0.01, 0.99)
        exponent = special.betaln(hits + 0.5, of - hits + 0.5) - special.betaln(0.5, 0.5)
        exponent -= special.xlogy(hits, rate) + special.xlog1py(of - hits, -rate)
        assert evidence_against(hits, of, rate) == pytest.approx(min(math.exp(min(exponent, 700)), math.inf))
        for edge in (lowest_at_any_time(hits, of), highest_at_any_time(hits, of)):
            assert edge in (0.0, 1.0) or evidence_against(hits, of, edge) == pytest.approx(20, rel=1e-6)
        assert lowest_at_any_time(hits, of) <= hits / of <= highest_at_any_time(hits, of)


def test_an_alarm_valid_at_any_time_cries_wolf_far_less_than_a_test_repeated_each_week() -> None:
    fixed = _false_alarm(lambda x, n: bool(x and special.bdtrc(x - 1, n, 0.02) < 0.05))
    mixture = _false_alarm(lambda x, n: is_above_at_any_time(x, n, 0.02))
    assert fixed == pytest.approx(0.15, abs=0.01)
    assert mixture == pytest.approx(0.003, abs=0.001)


def _false_alarm(is_alarm: Callable[[int, int], bool], *, looks: int = 26, audits: int = 20) -> float:
    """Return the exact chance that a rate at its limit, 2 %, is ever called above it."""
    rate = 0.02
    step = [math.comb(audits, x) * rate**x * (1 - rate) ** (audits - x) for x in range(8)]
    quiet, alarmed = {0: 1.0}, 0.0
    for look in range(1, looks + 1):
        after: dict[int, float] = {}
        for x, chance in quiet.items():
            for more, likely in enumerate(step):
                after[x + more] = after.get(x + more, 0.0) + chance * likely
        alarmed += sum(chance for x, chance in after.items() if is_alarm(x, look * audits))
        quiet = {x: chance for x, chance in after.items() if not is_alarm(x, look * audits)}
    return alarmed
