"""The statistics of trials, held to reference numbers and to their limits."""

import math
from collections.abc import Callable

import pytest

from incidents.figures.intervals import clopper_pearson
from trials.statistics import (
    Difference,
    Trials,
    evidence_against,
    highest_at_any_time,
    is_above_at_any_time,
    lowest_at_any_time,
    mcnemar,
    pass_all,
    pass_at,
    power,
    rows_needed,
)


@pytest.mark.parametrize(
    "refused",
    [
        lambda: mcnemar(-1, 3),
        lambda: Trials(of=3, well=4),
        lambda: Difference(lost=0.7, gained=0.4),
        lambda: pass_at([Trials(3, 1)], 0),
        lambda: evidence_against(4, 3, 0.1),
        lambda: evidence_against(1, 3, 1.1),
        lambda: highest_at_any_time(0, 10, alpha=0),
        lambda: rows_needed(0.8, Difference(lost=0.05, gained=0.05)),
        lambda: rows_needed(0.99, Difference(lost=0.010, gained=0.009)),
    ],
)
def test_counts_and_rates_that_cannot_be_are_refused(refused: Callable[[], object]) -> None:
    with pytest.raises(ValueError):
        refused()


def test_six_rows_that_differ_all_one_way_are_significant_and_five_are_not() -> None:
    six, five = mcnemar(6, 0), mcnemar(5, 0)
    assert (round(six.p, 3), round(five.p, 3)) == (0.031, 0.062)
    assert six.is_against(0.05)
    assert not five.is_against(0.05)
    assert not mcnemar(0, 6).is_against(0.05)


@pytest.mark.parametrize("each", [0, 1, 7])
def test_as_many_lost_as_gained_says_nothing(each: int) -> None:
    assert mcnemar(each, each).p == 1.0
    assert not mcnemar(each, each).is_against(0.999)


def test_eight_of_ten_pass_at_three_always_and_all_three_less_than_half() -> None:
    ten = [Trials(of=10, well=8)]
    assert pass_at(ten, 3) == 1.0
    assert round(pass_all(ten, 3) or 0, 2) == 0.47


def test_items_with_fewer_trials_than_k_are_left_out() -> None:
    mixed = [Trials(of=2, well=0), Trials(of=3, well=3)]
    assert pass_all(mixed, 3) == 1.0
    assert pass_at(mixed[:1], 3) is None


def test_no_false_pass_in_299_is_at_most_two_point_one_percent_at_any_time() -> None:
    assert round(highest_at_any_time(0, 299), 3) == 0.021
    assert round(clopper_pearson(0, 299).high, 3) == 0.010


def test_nothing_seen_bounds_nothing() -> None:
    assert (lowest_at_any_time(0, 0), highest_at_any_time(0, 0)) == (0.0, 1.0)
    assert not is_above_at_any_time(0, 0, 0.01)
    assert evidence_against(1, 2, 0.0) == evidence_against(1, 2, 1.0) == math.inf


@pytest.mark.parametrize(("rows", "wanted"), [(40, 0.30), (60, 0.51), (100, 0.77), (150, 0.92), (200, 0.97)])
def test_the_power_to_notice_a_loss_of_ten_points(rows: int, wanted: float) -> None:
    # The reference is simulated, ours is exact: they agree within the simulation's error.
    assert power(rows, Difference(lost=0.125, gained=0.025)) == pytest.approx(wanted, abs=0.011)


def test_a_loss_of_five_points_needs_three_hundred_rows() -> None:
    five = Difference(lost=0.075, gained=0.025)
    assert power(300, five) == pytest.approx(0.80, abs=0.011)
    assert power(0, five) == power(100, Difference(lost=0, gained=0)) == 0.0


@pytest.mark.parametrize("wanted", [0.3, 0.5, 0.8])
def test_the_rows_needed_reach_the_power_that_is_wanted(wanted: float) -> None:
    ten = Difference(lost=0.125, gained=0.025)
    rows = rows_needed(wanted, ten)
    assert power(rows, ten) >= wanted > power(rows - 5, ten)
