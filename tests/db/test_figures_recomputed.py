"""Every figure of the page is what a count in plain Python gives, also after late changes of many kinds."""

import math
import os
import random
import statistics
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from incidents.figures import recount, stamping
from incidents.figures.asking import Wanted
from incidents.figures.board import TimeLine, board
from incidents.models import Incident
from tests.db import generated_figures
from tests.db.generated_figures import Plain
from tests.web.pages import MakeUser

pytestmark = pytest.mark.django_db

COUNT = 50_000 if os.environ.get("FULL") == "1" else 400
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
            assert value == pytest.approx(to_a_percent(nearest_rank(fine, share)) if fine else None, rel=1e-9)


def check(every: list[Plain], now: datetime, first: date, last: date, filters: dict[str, str]) -> None:
    found = board(Wanted(first, last, filters, "source"), now)
    chosen = [one for one in every if all(_has(one, name, value) for name, value in filters.items())]
    inside = [one for one in chosen if first <= day_of(one) <= last]
    assert {name: count for name, count in found.whole.ended.items() if count} == Counter(map(ended, inside))
    judged = Counter(one.judged for one in inside if not one.is_drill)
    assert {name: count for name, count in found.whole.judged.items() if count} == judged
    check_times(list(found.stages), inside)
    assert (found.reopened.hits, found.reopened.of) == reopened_of(every, inside, now.date())
    closed = [one for one in inside if ended(one) == "person" and one.judged != "none"]
    comparable = [one for one in closed if one.closings[-1][1] in ("harmless", "real and fixed")]
    overridden = found.whole.overridden
    assert (overridden.hits, overridden.of) == (
        sum(one.closings[-1][3] for one in comparable),
        len(comparable),
    )
    for line in found.weeks:
        monday = date.fromisoformat(line.name)
        of_week = [one for one in inside if monday <= day_of(one) < monday + timedelta(days=7)]
        assert line.count == sum(ended(one) == "person" for one in of_week)
    for line in found.groups:
        of_source = [one for one in inside if str(one.source) == line.value]
        assert line.count == sum(ended(one) == "person" for one in of_source)
    check_change(found.resolve, chosen, (first, last))


def check_change(line: TimeLine, chosen: list[Plain], span: tuple[date, date]) -> None:
    days = span[1] - span[0] + timedelta(days=1)
    logs = [
        [math.log(max(1.0, seconds(one, "Detected to last closing (MTTR)") or 0))
         for one in chosen if ended(one) == "person" and low <= day_of(one) <= high]
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


def _has(one: Plain, name: str, value: str) -> bool:
    if name == "rule":
        return one.judged not in ("none", "no_rule") and one.rule == value
    return str(getattr(one, name) if getattr(one, name) is not None else "") == value


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
        stamping.edit(one.number, "detected", at, because="It was seen before.", by=by, now=now)
        one.detected = at
        stamping.edit(one.number, "mitigated", at, because="At once.", by=by, now=now)
        one.mitigated = at


def test_each_figure_is_what_plain_python_counts_also_after_late_changes(make_user: MakeUser) -> None:
    now, ada = timezone.now(), make_user("ada", role=Role.SUPPORT)
    every = generated_figures.make_up(COUNT, now=now)
    generated_figures.write(every, ada)
    assert recount.recount(now) >= COUNT
    today = now.date()
    spans = [(today - timedelta(days=27), today), (today - timedelta(days=60), today - timedelta(days=20))]
    filters: list[dict[str, str]] = [{}, {"rule": "queue_drained"}, {"kind": "claim", "service": "shop"}]
    for first, last in spans:
        check(every, now, first, last, {})
    change_late(every, ada, now)
    assert recount.recount(now) > 0
    for first, last in spans:
        for each in filters:
            check(every, now, first, last, each)
    assert recount.recount(now) == 0
