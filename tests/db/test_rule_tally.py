"""How rules fare is kept by triggers, and is what a count of all verdicts in plain Python gives."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from accounts.models import User
from accounts.roles import Role
from benchmarks.filled_queue import RULE_TALLIES
from incidents import rulefigures
from incidents.models import Resolution, RuleTally
from incidents.rulefigures import Figures
from investigations.models import Case, Investigation, Verdict
from tests.db.sources import make_source
from tests.web.pages import MakeUser
from tests.web.test_queue import incident

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
RULES = ("queue_drained", "refund_already_paid", "job_finished_on_retry")


def judge(run: Investigation, rule: str, at: datetime, *, passed: bool, number: int | None = None) -> Verdict:
    case = Case.objects.create(investigation=run, body="{}", digest="", judged_at=at)
    return Verdict.objects.create(
        pk=number, case=case, investigation=run, passed=passed, hypothesis=rule, reason="", body="{}",
        rulebook_digest="", created_at=at,
    )  # fmt: skip


def close(verdict: Verdict, by: User, *, against: bool) -> None:
    Resolution.objects.create(
        incident_id=verdict.investigation.incident_id, outcome="harmless", contradicts_verdict=against,
        verdict_id=verdict.pk, by=by, created_at=NOW,
    )  # fmt: skip


def make_up(by: User) -> None:
    """Runs with up to three verdicts each, over half a year; some are closed against them."""
    source, dice = make_source(), random.Random(3)
    for number in range(60):
        one = incident(source, number)
        run = Investigation.objects.create(incident_id=one.pk, state="judged", subject="{}", created_at=NOW)
        at = NOW - timedelta(days=dice.uniform(20, 180))
        for _ in range(dice.randint(1, 3)):
            at += timedelta(days=dice.uniform(0, 6))
            last = judge(run, dice.choice(RULES), at, passed=dice.random() < 0.4)
        for _ in range(dice.randint(0, 2)):
            close(last, by, against=dice.random() < 0.5)


def counted() -> dict[str, Figures]:
    """Count the rows themselves."""
    found: dict[str, Figures] = {}
    every = list(Verdict.objects.order_by("pk"))
    last = {each.investigation_id: each.pk for each in every}
    against = {each.verdict_id for each in Resolution.objects.all() if each.contradicts_verdict}
    for each in every:
        was, counts = found.get(each.hypothesis, Figures()), last[each.investigation_id] == each.pk
        found[each.hypothesis] = replace(
            was,
            raised=was.raised + counts,
            earned=was.earned + (counts and each.passed),
            overridden=was.overridden + (each.pk in against),
            last_raised_at=max(each.created_at, was.last_raised_at or each.created_at),
            last_earned_at=max(each.created_at, was.last_earned_at or each.created_at)
            if each.passed else was.last_earned_at,
            since=NOW - timedelta(days=90),
        )  # fmt: skip
    return found


def test_the_tally_is_what_plain_python_counts_also_after_it_is_added_up(
    make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = make_user("ada", role=Role.SUPPORT)
    make_up(ada)
    assert rulefigures.figures(NOW) == counted()
    assert rulefigures.figures(NOW, only=RULES[0]) == {RULES[0]: counted()[RULES[0]]}
    monkeypatch.setattr(rulefigures, "_MANY_STEPS", 10)
    rulefigures.add_up()
    assert RuleTally.objects.count() == len(RULES)
    first = Verdict.objects.earliest("pk")
    later = judge(first.investigation, "a_new_rule", NOW, passed=True)
    close(later, ada, against=True)
    assert rulefigures.figures(NOW) == counted()


def test_a_verdict_that_is_written_late_under_a_lower_number_is_not_the_last(make_user: MakeUser) -> None:
    one = incident(make_source(), 1)
    run = Investigation.objects.create(incident_id=one.pk, state="judged", subject="{}", created_at=NOW)
    judge(run, RULES[0], NOW, passed=True, number=1_000_002)
    judge(run, RULES[1], NOW, passed=True, number=1_000_001)
    assert {name: each.raised for name, each in rulefigures.figures(NOW).items() if each.raised} == {
        RULES[0]: 1
    }


def test_what_benchmarks_fill_at_once_is_what_triggers_keep(make_user: MakeUser) -> None:
    make_up(make_user("ada", role=Role.SUPPORT))
    RuleTally.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute(RULE_TALLIES)
    assert rulefigures.figures(NOW) == counted()
