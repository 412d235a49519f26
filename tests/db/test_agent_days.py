"""What agents did in some days is what a count in plain Python gives, also of runs that go on for days."""

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from incidents.figures import agentdays, attention
from incidents.models import AgentDay
from investigations.models import Exchange, Investigation
from toolbox.models import Call

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 3, 9, 30, tzinfo=UTC)
ZONES = tuple(ZoneInfo(name) for name in ("UTC", "America/New_York", "Asia/Kolkata"))
OUTCOMES = ("first_pass", "repaired", "fallback", "refused", "")
STATUSES = ("observed", "empty", "truncated", "error", "refused")


@dataclass
class Ran:
    """One run as it was made up."""

    ended: datetime | None
    outcome: str
    spent: list[tuple[datetime, int]] = field(default_factory=list)


def day_of(at: datetime) -> date:
    return at.astimezone(UTC).date()


def make_up(dice: random.Random) -> list[Ran]:
    """Runs of five weeks, over the day on which New York's clocks change; some go on for days."""
    every = []
    for _ in range(120):
        at = (NOW - timedelta(hours=dice.uniform(1, 840))).astimezone(dice.choice(ZONES))
        ran = Ran(at + timedelta(minutes=9), dice.choice(OUTCOMES))
        for _ in range(dice.randint(0, 3)):
            ran.spent.append((at, dice.randint(0, 5_000)))
            at = min(at + timedelta(hours=dice.choice((0.01, 5, 50))), NOW)
        every.append(ran)
    return every


def write(every: list[Ran]) -> None:
    runs = Investigation.objects.bulk_create(
        Investigation(incident_id=number, state="judged", subject="{}", created_at=NOW, finished_at=ran.ended,
                      outcome=ran.outcome)
        for number, ran in enumerate(every, 1)
    )  # fmt: skip
    for run, ran in zip(runs, every, strict=True):
        for at, micros in ran.spent:
            spend(run, at, micros)


def spend(run: Investigation, at: datetime, micros: int) -> None:
    Exchange.objects.create(
        investigation=run, purpose="investigate", endpoint="main", model="m", step=1, micros=micros,
        created_at=at,
    )  # fmt: skip


def call(dice: random.Random, count: int) -> list[Call]:
    """Answers of tools in the same weeks."""
    return Call.objects.bulk_create(
        Call(entry=number, leaf="", recorded_at=NOW - timedelta(hours=dice.uniform(0, 840)), caller="x",
             tool=dice.choice(("find_job", "find_order")), status=dice.choice(STATUSES), milliseconds=1)
        for number in range(1, count + 1)
    )  # fmt: skip


def check(every: list[Ran], calls: list[Call], first: date, last: date) -> None:
    work = agentdays.read(first, last)
    ended = [ran for ran in every if ran.outcome and ran.ended and first <= day_of(ran.ended) <= last]
    assert work.outcomes == Counter(ran.outcome for ran in ended)
    spoke = [ran for ran in every if ran.spent and first <= min(day_of(at) for at, _ in ran.spent) <= last]
    assert (work.spoke, work.micros) == (len(spoke), sum(micros for ran in spoke for _, micros in ran.spent))
    answered = [
        each for each in calls
        if first <= day_of(each.recorded_at) <= last and each.status in ("observed", "empty", "truncated")
    ]  # fmt: skip
    assert {line.tool: (line.empty.hits, line.empty.of) for line in attention.tools(work)} == {
        tool: (sum(each.status == "empty" for each in answered if each.tool == tool), count)
        for tool, count in Counter(each.tool for each in answered).items()
    }


def check_spans(every: list[Ran], calls: list[Call]) -> None:
    for first, last in ((40, 0), (27, 0), (6, 2), (1, 1), (0, 0)):
        check(every, calls, day_of(NOW) - timedelta(days=first), day_of(NOW) - timedelta(days=last))


def test_what_agents_did_is_what_plain_python_counts_also_after_they_went_on() -> None:
    dice = random.Random(4)
    every, calls = make_up(dice), call(dice, 300)
    write(every)
    while agentdays.counted_from(day_of(NOW) - timedelta(days=40)) or not AgentDay.objects.exists():
        agentdays.count(NOW)
    check_spans(every, calls)
    # A run of weeks ago is asked something more, and another begins.
    began = {number: ran.spent[0][0] for number, ran in enumerate(every) if ran.spent}
    old = min(began, key=lambda number: began[number])
    every[old].spent.append((NOW, 777))
    spend(Investigation.objects.get(incident_id=old + 1), NOW, 777)
    every.append(Ran(NOW, "fallback", [(NOW - timedelta(minutes=1), 11)]))
    run = Investigation.objects.create(
        incident_id=999, state="judged", subject="{}", created_at=NOW, finished_at=NOW, outcome="fallback"
    )
    spend(run, NOW - timedelta(minutes=1), 11)
    agentdays.count(NOW)
    check_spans(every, calls)


def test_days_on_which_nobody_counted_are_made_up_for() -> None:
    dice = random.Random(4)
    agentdays.count(NOW - timedelta(days=20))
    every, calls = make_up(dice), call(dice, 300)
    write(every)
    agentdays.count(NOW)
    agentdays.count(NOW)
    check_spans(every, calls)


def test_after_an_upgrade_it_says_from_which_day_on_is_counted() -> None:
    dice = random.Random(4)
    write(make_up(dice))
    first = day_of(NOW) - timedelta(days=39)
    agentdays.count(NOW)
    assert agentdays.counted_from(first) == AgentDay.objects.earliest("day").day
    assert agentdays.counted_from(day_of(NOW)) is None
    agentdays.count(NOW)
    assert agentdays.counted_from(first) is None
