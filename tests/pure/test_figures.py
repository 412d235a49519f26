"""The statistics of the figures, against numbers that others computed, and sums that no order changes."""

import math
import random
from datetime import UTC, date, datetime, timedelta

import pytest

from incidents.figures import beta, plan
from incidents.figures.intervals import (
    LOG_UNIT,
    Change,
    Interval,
    Logs,
    Rate,
    Stratum,
    change,
    clopper_pearson,
    weighted,
)
from incidents.figures.plan import Limits, Standing, Why
from incidents.figures.stages import Counted, Ended, Judged, Stamp
from incidents.figures.tally import Tally, bar_of, seconds_of

LIMITS = Limits(share=0.1, bound=0.05, overdue=3)


def logs(*seconds: float) -> Logs:
    found = Logs()
    for each in seconds:
        log = round(math.log(each) * LOG_UNIT)
        found += Logs(1, log, log * log)
    return found


@pytest.mark.parametrize(("hits", "of"), [(-1, 5), (6, 5)])
def test_counts_that_cannot_be_have_no_interval(hits: int, of: int) -> None:
    with pytest.raises(ValueError, match="cannot be a rate"):
        clopper_pearson(hits, of)


def test_nothing_sampled_says_nothing() -> None:
    assert clopper_pearson(0, 0) == Interval(0.0, 1.0)


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [
        (0, 30, 0, 9.5),
        (0, 59, 0, 5.0),
        (0, 100, 0, 3.0),
        (0, 299, 0, 1.0),
        (1, 300, 0.0, 1.8),
        (3, 100, 0.6, 8.5),
    ],
)
def test_an_interval_is_the_published_one(hits: int, of: int, low: float, high: float) -> None:
    found = clopper_pearson(hits, of)
    assert (round(found.low * 100, 1), round(found.high * 100, 1)) == (low, high)


@pytest.mark.parametrize(("hits", "of"), [(1, 7), (3, 40), (17, 60), (250, 1000), (999, 1000)])
def test_the_ends_of_an_interval_leave_the_chance_that_they_say(hits: int, of: int) -> None:
    """By definition: 2.5 % at the lower end for so many or more, at the upper one for so many or less."""

    def at_most(seen: int, chance: float) -> float:
        return sum(math.comb(of, k) * chance**k * (1 - chance) ** (of - k) for k in range(seen + 1))

    found = clopper_pearson(hits, of)
    assert 1 - at_most(hits - 1, found.low) == pytest.approx(0.025, abs=1e-9)
    assert at_most(hits, found.high) == pytest.approx(0.025, abs=1e-9)


@pytest.mark.parametrize(("freedom", "t"), [(1, 12.706), (4, 2.776), (10, 2.228), (30, 2.042), (100, 1.984)])
def test_students_quantile_is_the_tables(freedom: float, t: float) -> None:
    assert beta.student(freedom) == pytest.approx(t, abs=5e-4)


def test_a_rule_with_passes_and_no_audit_leaves_the_rate_unknown() -> None:
    rate, interval = weighted([Stratum(0, 100, 50), Stratum(0, 0, 50)])
    assert rate is None
    assert interval.high > 0.5


def test_rules_count_by_their_share_of_the_passes() -> None:
    rate, interval = weighted([Stratum(5, 100, 900), Stratum(0, 100, 100), Stratum(1, 1, 0)])
    assert rate == pytest.approx(0.045)
    assert rate is not None
    assert interval.low < rate < interval.high


@pytest.mark.parametrize("freedom", [500, 1_234.5, 20_000, 1_000_000])
def test_with_much_freedom_students_quantile_is_the_same_by_another_way(freedom: float) -> None:
    x = beta.quantile(0.05, freedom / 2, 0.5)
    assert beta.student(freedom) == pytest.approx(math.sqrt(freedom * (1 - x) / x), rel=1e-9)


@pytest.mark.parametrize("before", [Logs(), logs(60)])
def test_of_too_few_nobody_can_tell(before: Logs) -> None:
    assert change(before, logs(60, 70, 80)) == Change(None, None)
    assert change(before, logs(60, 70, 80)).words == "cannot tell yet: too few"


def test_a_change_within_what_chance_does_is_not_told() -> None:
    found = change(logs(60, 600, 6000), logs(50, 500, 5000))
    assert found.ratio == pytest.approx(5 / 6, rel=1e-5)
    assert found.words == "cannot tell yet"


def test_a_change_beyond_chance_is_told_with_its_interval() -> None:
    rng = random.Random(3)
    before = [math.exp(rng.gauss(8, 0.5)) for _ in range(200)]
    found = change(logs(*before), logs(*(each / 2 for each in before)))
    assert found.ratio == pytest.approx(0.5, rel=1e-5)
    assert found.interval is not None
    assert found.interval.low < 0.5 < found.interval.high < 1
    assert found.words == "shorter than before"


def test_few_are_told_as_a_fraction_and_none_as_a_dash() -> None:
    assert [Rate(0, 0).text, Rate(1, 4).text, Rate(1, 5).text, Rate(1, 100).text] == [
        "–",
        "1 of 4",
        "20 %",
        "1.0 %",
    ]


@pytest.mark.parametrize("seconds", [1, 1.4, 59, 3600, 86_400 * 400])
def test_a_bar_is_within_half_a_percent_of_what_it_stands_for(seconds: float) -> None:
    assert seconds_of(bar_of(seconds)) == pytest.approx(seconds, rel=0.0051)


def counted(seconds: float, **values: object) -> Counted:
    start = datetime(2026, 3, 1, tzinfo=UTC)
    stamps = {Stamp.DETECTED: start, Stamp.CLOSED: start + timedelta(seconds=seconds)}
    known = {"ended": Ended.PERSON, "judged": Judged.PASS, "stamps": stamps, **values}
    return Counted(day=date(2026, 3, 1), **known)  # type: ignore[arg-type]  # told by name


def test_a_sum_of_parts_is_the_sum_of_the_whole_in_any_order() -> None:
    rng = random.Random(1)
    every = [counted(rng.lognormvariate(8, 2)) for _ in range(400)]
    whole, parts = Tally.of(every), Tally()
    rng.shuffle(every)
    for start in range(0, 400, 37):
        parts.add(Tally.from_texts(*Tally.of(every[start : start + 37]).to_texts()))
    assert (parts.ended, parts.judged, parts.times) == (whole.ended, whole.judged, whole.times)
    exact = sorted(each.stamps[Stamp.CLOSED] - each.stamps[Stamp.DETECTED] for each in every)
    for wanted in (50, 75, 90):
        rank = math.ceil(400 * wanted / 100) - 1
        assert whole.stage("resolve").percentile(wanted) == seconds_of(bar_of(exact[rank].total_seconds()))


def test_clocks_that_disagree_are_counted_apart() -> None:
    times = Tally.of([counted(-5), counted(60)]).stage("resolve")
    assert (times.skewed, times.count) == (1, 1)


@pytest.mark.parametrize("ended", [Ended.PASS, Ended.DUPLICATE, Ended.DRILL, Ended.OPEN])
def test_what_no_person_closed_makes_no_time_shorter(ended: Ended) -> None:
    tally = Tally.of([counted(1, ended=ended), counted(10_000)])
    assert tally.stage("resolve").count == 1
    assert tally.ended[ended] == 1


def test_closings_too_young_to_tell_are_kept_out_of_the_rate_and_in_sight() -> None:
    today = date(2026, 3, 30)
    tally = Tally.of(
        [
            counted(1, first_closed_on=date(2026, 3, 1), was_reopened=True),
            counted(1, first_closed_on=date(2026, 3, 15)),
            counted(1, first_closed_on=date(2026, 3, 16), was_reopened=True),
        ]
    )
    assert tally.reopened(today) == Rate(1, 2)
    assert tally.too_young(today) == Rate(1, 1)


def test_each_pass_of_a_new_rule_is_audited_until_59_in_a_row_were_right() -> None:
    nothing = Limits(share=0, bound=0.05, overdue=3)
    assert plan.drawn(1, Standing((True,) * 58), nothing, key=b"k") is Why.TRIAL
    assert plan.drawn(1, Standing((True,) * 59), nothing, key=b"k") is None
    assert plan.drawn(1, Standing((True,) * 59 + (False,) + (True,) * 58), nothing, key=b"k") is Why.TRIAL


def test_then_a_share_is_drawn_and_the_same_verdict_always_draws_the_same_lot() -> None:
    proven = Standing((True,) * 59)
    lots = [plan.drawn(number, proven, LIMITS, key=b"k") for number in range(1_500)]
    assert 110 < sum(lot is Why.SHARE for lot in lots) < 190
    assert lots == [plan.drawn(number, proven, LIMITS, key=b"k") for number in range(1_500)]
    assert lots != [plan.drawn(number, proven, LIMITS, key=b"another") for number in range(1_500)]


def test_a_rule_on_trial_is_not_stopped_for_having_few_audits() -> None:
    assert plan.why_to_stop(Standing((True,) * 10), LIMITS) == ""
    assert plan.why_to_stop(Standing((True,) * 59), LIMITS) == ""


def test_a_false_pass_stops_a_rule_whose_bound_passes_the_limit() -> None:
    assert "1 of 60 audited passes were false" in plan.why_to_stop(Standing((True,) * 59 + (False,)), LIMITS)
    assert plan.why_to_stop(Standing((True,) * 299 + (False,)), LIMITS) == ""


def test_audits_that_nobody_does_stop_a_rule() -> None:
    assert plan.why_to_stop(Standing((True,) * 300, overdue=3), LIMITS) == ""
    assert "4 audits of its passes are overdue" in plan.why_to_stop(
        Standing((True,) * 300, overdue=4), LIMITS
    )
