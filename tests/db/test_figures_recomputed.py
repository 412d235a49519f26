"""Every figure of the page is what a count in plain Python gives, also after late changes of many kinds."""

import math
import os
import random
import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import chain, combinations, cycle, product

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from incidents.figures import reading, recount, stamping
from incidents.figures.asking import FILTERS, GROUPS, Wanted
from incidents.figures.board import TimeLine, board
from incidents.figures.stamping import Correction
from incidents.figures.tally import Tally
from incidents.models import Incident, Record, SpanSum
from tests.db import generated_figures
from tests.db.generated_figures import Plain
from tests.web.pages import MakeUser

pytestmark = pytest.mark.django_db

FULL = os.environ.get("FULL") == "1"
COUNT = 50_000 if FULL else 300
FORTNIGHT = timedelta(days=14)
STAGES: dict[str, Callable[[Plain], tuple[datetime | None, datetime | None]]] = {
    "Impact to detected": lambda one: (one.impact, one.detected),
    "Detected to acknowledged by a person": lambda one: (one.detected, one.acknowledged),
    "Detected to investigation": lambda one: (one.detected, one.run[0] if one.run else None),
    "Investigation to draft ready": lambda one: one.run or (None, None),
    "Detected to verdict": lambda one: (one.detected, one.run[1] if one.run else None),
    "Draft ready to decision": lambda one: (one.run[1] if one.run else None, decided(one)),
    "Impact to mitigated": lambda one: (one.impact, one.mitigated),
    "Detected to last closing (MTTR)": lambda one: (one.detected, one.closings[-1][0]),
}


def decided(one: Plain) -> datetime | None:
    return next((at for at, _, by_rule, _ in one.closings if not by_rule), None)


def ended(one: Plain) -> str:
    if one.is_drill:
        return "drill"
    if not one.is_closed:
        return "open"
    _, outcome, by_rule, _ = one.closings[-1]
    return "duplicate" if outcome == "duplicate of" else "pass" if by_rule else "person"


def day_of(one: Plain) -> date:
    return one.detected.astimezone(UTC).date()


def seconds(one: Plain, stage: str) -> float | None:
    start, end = STAGES[stage](one)
    return None if start is None or end is None else end.timestamp() - start.timestamp()


def to_a_percent(value: float) -> float:
    """The nearest whole power of 1.01, from 1 s upwards; what is shorter is nothing."""
    return 0.0 if value < 1 else 1.01 ** round(math.log(value, 1.01))


def nearest_rank(values: list[float], share: int) -> float:
    return sorted(values)[-(-len(values) * share // 100) - 1]


def reopened(every: list[Plain], today: date) -> tuple[int, int]:
    followed: dict[int, list[datetime]] = {}
    for one in every:
        if one.before:
            followed.setdefault(one.before, []).append(one.opened or one.detected)
    counted = [one for one in every if one.closings and ended(one) in ("person", "open")]
    old = [one for one in counted if one.closings[0][0].astimezone(UTC).date() + FORTNIGHT < today]

    def is_back(one: Plain) -> bool:
        # Of several that the same alert opened later the first counts.
        later = sorted(followed.get(one.number, []))[:1]
        return any(
            timedelta(0) <= back - at <= FORTNIGHT
            for at, *_ in one.closings
            for back in [*one.reopened, *later]
        )

    return sum(is_back(one) for one in old), len(old)


def check_times(lines: list[TimeLine], every: list[Plain]) -> None:
    closed = [one for one in every if ended(one) == "person"]
    for line in lines:
        found = [each for one in closed if (each := seconds(one, line.name)) is not None]
        fine = [each for each in found if each >= 0]
        assert (line.name, line.count, line.skewed) == (line.name, len(fine), len(found) - len(fine))
        for share, value in ((50, line.p50), (75, line.p75), (90, line.p90)):
            if not fine:
                assert value is None
                continue
            assert value == pytest.approx(to_a_percent(nearest_rank(fine, share)), rel=1e-9)


def check(every: list[Plain], now: datetime, wanted: Wanted) -> None:
    """Each figure of one page."""
    found = board(wanted, now)
    chosen = [one for one in every if all(_has(one, *each) for each in wanted.filters.items())]
    inside = [one for one in chosen if wanted.first <= day_of(one) <= wanted.last]
    assert {name: count for name, count in found.whole.ended.items() if count} == Counter(map(ended, inside))
    assert counts(found.whole) == judged(inside)
    check_times(list(found.stages), inside)
    check_rates(found.whole, every, inside, now.date())
    for line in found.weeks:
        monday = date.fromisoformat(line.name)
        check_resolve(line, [one for one in inside if monday <= day_of(one) < monday + timedelta(days=7)])
    assert {rule: counts(tally) for rule, tally in found.rules} == {
        rule: judged(each) for rule, each in apart(inside, "rule").items()
    }
    span = (wanted.first, wanted.last)
    check_change(found.resolve, chosen, span)
    groups = {} if wanted.group == "week" else apart(inside, wanted.group)
    assert {line.value for line in found.groups} == set(groups)
    for line in found.groups:
        check_resolve(line, groups[line.value])
        check_rates(line.tally, every, groups[line.value], now.date())
        check_change(line, apart(chosen, wanted.group)[line.value], span)


def counts(tally: Tally) -> dict[str, int]:
    return {name: count for name, count in tally.judged.items() if count}


def judged(every: list[Plain]) -> Counter[str]:
    return Counter(one.judged for one in every if not one.is_drill)


def apart(every: list[Plain], dimension: str) -> dict[str, list[Plain]]:
    found: dict[str, list[Plain]] = {}
    for one in every:
        if value := value_of(one, dimension):
            found.setdefault(value, []).append(one)
    return found


def check_resolve(line: TimeLine, every: list[Plain]) -> None:
    check_times([replace(line, name="Detected to last closing (MTTR)")], every)


def check_rates(tally: Tally, every: list[Plain], inside: list[Plain], today: date) -> None:
    reopened = tally.reopened(today)
    assert (reopened.hits, reopened.of) == reopened_of(every, inside, today)
    closed = [one for one in inside if ended(one) == "person" and one.judged != "none"]
    comparable = [one for one in closed if one.closings[-1][1] in ("harmless", "real and fixed")]
    overridden = (sum(one.closings[-1][3] for one in comparable), len(comparable))
    assert (tally.overridden.hits, tally.overridden.of) == overridden


def check_change(line: TimeLine, chosen: list[Plain], span: tuple[date, date]) -> None:
    days = span[1] - span[0] + timedelta(days=1)
    logs = [
        [math.log(max(1.0, took))
         for one in chosen if ended(one) == "person" and low <= day_of(one) <= high
         and (took := seconds(one, "Detected to last closing (MTTR)") or 0) >= 0]
        for low, high in ((span[0] - days, span[0] - timedelta(days=1)), span)
    ]  # fmt: skip
    assert line.change is not None
    if min(map(len, logs)) < 2:
        assert line.change.ratio is None
        return
    step = statistics.fmean(logs[1]) - statistics.fmean(logs[0])
    assert line.change.ratio == pytest.approx(math.exp(step), rel=1e-5)
    if min(map(len, logs)) > 100 and line.change.interval:  # where Student's t is all but the normal's
        reach = 1.98 * math.sqrt(sum(statistics.variance(each) / len(each) for each in logs))
        assert line.change.interval.high == pytest.approx(math.exp(step + reach), rel=0.02)


def reopened_of(every: list[Plain], inside: list[Plain], today: date) -> tuple[int, int]:
    """Later incidents of the same alert count wherever they lie; closings only of those inside."""
    numbers = {one.number for one in inside}
    others = [one for one in every if one.number not in numbers and one.before]
    return reopened([*inside, *(_only_opening(one) for one in others)], today)


def _only_opening(one: Plain) -> Plain:
    return Plain(
        one.number, one.source, one.team, one.kind, "", True, one.impact, one.detected, before=one.before
    )


def value_of(one: Plain, dimension: str) -> str:
    if dimension == "rule":
        return one.rule if one.judged not in ("none", "no_rule") else ""
    value = getattr(one, dimension)
    return "" if value is None else str(value)


def _has(one: Plain, name: str, value: str) -> bool:
    return value_of(one, name) == value


def change_late(every: list[Plain], by: User, now: datetime) -> None:
    """Reopen, close again, merge, correct times, across the days: everything that comes after the count."""
    dice = random.Random(9)
    closed = [one for one in every if one.is_closed and now - one.closings[-1][0] > timedelta(hours=1)]
    again = dice.sample(closed, len(closed) // 10)
    generated_figures.reopen(again)
    for one in again[::2]:
        at = now + timedelta(seconds=dice.uniform(1, 3600))
        closing = (at, dice.choice(("harmless", "duplicate of")), False, False)
        one.closings.append(closing)
        one.is_closed = True
        generated_figures.resolution(one.number, closing, one.rule, by).save()
        Incident.objects.filter(pk=one.number).update(state="closed", closed_at=at)
    for one in dice.sample(every, 20):
        zone = dice.choice(generated_figures.ZONES)
        at = (one.detected - timedelta(days=dice.uniform(0, 3))).astimezone(zone)
        stamping.edit(one.number, Correction("detected", at, "It was seen before."), by=by, now=now)
        one.detected = at
        stamping.edit(one.number, Correction("mitigated", at, "At once."), by=by, now=now)
        one.mitigated = at
    folded = [each for each in generated_figures.round_clock_changes(now) if each.fold]
    for one, at in zip(dice.sample(every, 10), dice.sample(folded, 10), strict=True):
        stamping.edit(one.number, Correction("detected", at, "Seen as clocks changed."), by=by, now=now)
        one.detected = at
    generated_figures.judge_again(dice.sample([one for one in every if one.run], 20), "queue_drained")
    other = next(one for one in every if one.team)
    generated_figures.move(dice.sample(every, 20), other.source, other.team, "till")


def questions(every: list[Plain], today: date, dice: random.Random) -> Iterator[Wanted]:
    """No filter, each filter, each two and some of three; over three spans and with all groupings in turn."""
    spans = [(today - timedelta(days=a), today - timedelta(days=b)) for a, b in ((27, 0), (60, 20), (365, 3))]
    asked = [each for count in range(3) for each in combinations(FILTERS, count)]
    asked += dice.sample(list(combinations(FILTERS, 3)), 2)
    whole = [one for one in every if all(value_of(one, name) for name in FILTERS)]
    ways = cycle(product(spans, GROUPS))
    for names in chain.from_iterable(dice.sample(asked, len(asked)) for _ in range(3 if FULL else 1)):
        like, (span, group) = dice.choice(whole), next(ways)
        yield Wanted(*span, {name: value_of(like, name) for name in names}, group)


@pytest.mark.timeout(3_600 if FULL else 300)
def test_each_figure_is_what_plain_python_counts_also_after_late_changes(make_user: MakeUser) -> None:
    now, ada = timezone.now(), make_user("ada", role=Role.SUPPORT)
    every = generated_figures.make_up(COUNT, now=now)
    generated_figures.write(every, ada)
    assert recount.recount(now) >= COUNT
    dice = random.Random(11)
    for wanted in questions(every, now.date(), dice):
        check(every, now, wanted)
    change_late(every, ada, now)
    assert recount.recount(now) > 0
    for wanted in questions(every, now.date(), dice):
        check(every, now, wanted)
    assert recount.recount(now) == 0


def test_after_an_upgrade_the_sums_are_filled_to_what_they_were(make_user: MakeUser) -> None:
    now, ada = timezone.now(), make_user("ada", role=Role.SUPPORT)
    every = generated_figures.make_up(40, now=now)
    generated_figures.write(every, ada)
    recount.recount(now)
    kept = sums()
    SpanSum.objects.all().delete()
    Record.objects.update(summed_as=0, bars=[], logs=[])
    newest = max(day_of(one) for one in every)
    assert reading.freshness().filled_after == newest
    generated_figures.move(every[:3], every[3].source, every[3].team, "till")  # while nothing is filled yet
    recount.recount(now)
    recount.fill(batches=9)
    assert reading.freshness().filled_after is None
    filled = sums()
    assert filled != kept
    moved = [one.number for one in every[:3]]
    Incident.objects.filter(pk__in=moved).update(title="as before")
    for record in Record.objects.filter(pk__in=moved):
        recount.mark([record.pk])
    assert recount.recount(now) == 3
    assert sums() == filled
    check(every, now, Wanted(now.date() - timedelta(days=365), now.date(), {}, "service"))


def sums() -> set[tuple[object, ...]]:
    """Every stored sum, with its bars."""
    return set(
        SpanSum.objects.values_list("by", "length", "first", "one", "other", "body", "resolve", "stages")
    )
