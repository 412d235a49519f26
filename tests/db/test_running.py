"""One run from queued to judged, and all the ways in which it is cut short."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from assay_core.results import Status
from investigations import leases, queries, services
from investigations.evidence import Asker, entries_of
from investigations.models import Case, Draft, Investigation, Verdict
from investigations.outcomes import BudgetSpent, Ending, Failure, Judgement
from investigations.states import State
from investigations.topping import top_up
from tests.db.investigated import LATE, STARTED, Scripted, ignore, job, never, queued, subject, world
from toolbox import gateway
from toolbox.connectors.base import Outcome
from toolbox.scope import CallScope
from verdicts.case import NONE_OF_THESE

pytestmark = pytest.mark.django_db


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def expire(pk: int) -> None:
    Investigation.objects.filter(pk=pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def judged(row: Investigation) -> Judgement:
    outcome = services.run(row.pk, on_judged=ignore, on_failed=never)
    assert outcome.judgement is not None, outcome
    return outcome.judgement


def test_a_raising_callback_rolls_everything_back_and_the_run_is_tried_again(tools: Scripted) -> None:
    row = queued()

    def refuse(_: Judgement) -> None:
        raise RuntimeError("the incident can't be moved")

    with pytest.raises(RuntimeError):
        services.run(row.pk, on_judged=refuse, on_failed=never)
    assert not Case.objects.exists()
    assert not Verdict.objects.exists()
    assert not Draft.objects.exists()
    row.refresh_from_db()
    assert row.state == State.QUEUED
    assert "can't be moved" in row.reason
    assert services.due(timezone.now() + timedelta(hours=1)) == [row.pk]
    assert judged(row).passed
    row.refresh_from_db()
    assert row.reason == ""


def test_a_run_that_keeps_raising_ends_failed_with_its_last_error(tools: Scripted, settings: Any) -> None:
    settings.INVESTIGATION_ATTEMPTS = 2
    row = queued()

    def refuse(_: Judgement) -> None:
        raise RuntimeError("the incident can't be moved")

    for _ in range(2):
        with pytest.raises(RuntimeError):
            services.run(row.pk, on_judged=refuse, on_failed=never)
    failed: list[Failure] = []
    assert services.run(row.pk, on_judged=never, on_failed=failed.append).ending is Ending.FAILED
    assert "can't be moved" in failed[0].reason
    assert queries.story(Investigation.objects.get(pk=row.pk)).verdict is None


def test_a_worker_killed_after_its_first_call_is_followed_by_one_verdict_over_all_entries(
    tools: Scripted,
) -> None:
    row = queued()
    assert leases.claim(row.pk) is not None
    gateway.call("find_job", {"job_id": "job-7"}, CallScope("playbook", investigation=row.pk, incident=1))
    expire(row.pk)
    assert services.due(timezone.now()) == [row.pk]
    assert judged(row).passed
    assert Verdict.objects.count() == 1
    body = json.loads(Case.objects.get().body)
    assert [entry["tool"] for entry in body["entries"]] == ["find_job", "find_job", "count_errors"]
    assert len(body["case"]["entries"]) == 3


def test_an_unavailable_tool_fails_the_verdict_with_that_reason(tools: Scripted) -> None:
    tools.answers["find_job"] = Outcome(Status.UNAVAILABLE, reason="the shop's database does not answer")
    judgement = judged(queued())
    assert not judgement.passed
    assert judgement.hypothesis == "job_finished_on_retry"
    assert judgement.deciding == "job_completed"
    assert "the shop's database does not answer" in judgement.reason


def test_a_subject_without_a_rule_is_judged_none_of_these(tools: Scripted) -> None:
    judgement = judged(queued(order_id="ORD-1"))
    assert (judgement.passed, judgement.hypothesis) == (False, NONE_OF_THESE)
    assert tools.asked == []
    assert Draft.objects.get().text


def test_a_refutation_that_a_former_attempt_saw_still_fails_the_verdict(tools: Scripted) -> None:
    row = queued()
    tools.answers["find_job"] = job("lost")
    gateway.call("find_job", {"job_id": "another"}, CallScope("playbook", investigation=row.pk, incident=1))
    tools.answers["find_job"] = job("completed")
    judgement = judged(row)
    assert not judgement.passed
    assert judgement.deciding == "lost_again"


def test_another_runs_entries_do_not_count(tools: Scripted) -> None:
    row = queued()
    tools.answers["find_job"] = job("lost")
    gateway.call("find_job", {"job_id": "job-7"}, CallScope("playbook", investigation=row.pk + 1, incident=1))
    tools.answers["find_job"] = job("completed")
    assert judged(row).passed
    assert len(json.loads(Case.objects.get().body)["entries"]) == 2


def test_a_spent_budget_is_judged_on_what_there_is_and_said(tools: Scripted, settings: Any) -> None:
    settings.INVESTIGATION_MAX_CALLS = 1
    row = queued()
    judgement = judged(row)
    assert not judgement.passed
    assert judgement.deciding == "no_recurrence"
    row.refresh_from_db()
    assert "INVESTIGATION_MAX_CALLS" in row.reason


def test_a_fact_that_can_earn_nothing_yet_makes_the_run_wait(tools: Scripted) -> None:
    row = queued(report_id="r-1")
    outcome = services.run(row.pk, on_judged=never, on_failed=never)
    assert outcome.ending is Ending.WAITING
    assert outcome.due_at == STARTED + LATE
    row.refresh_from_db()
    assert (row.state, row.due_at) == (State.WAITING, outcome.due_at)
    assert "arrived" in row.reason
    assert services.run(row.pk, on_judged=never, on_failed=never).ending is Ending.NOT_CLAIMED
    assert tools.asked == []


def test_facts_that_nobody_asked_are_asked_by_code_in_the_name_of_the_rule(tools: Scripted) -> None:
    row = queued()
    scope = CallScope("playbook", investigation=row.pk, incident=1)
    gateway.call("find_job", {"job_id": "job-7"}, scope)
    hypothesis = "job_finished_on_retry"
    ask = Asker(scope, lease=None, limit=1)
    added = top_up(row, subject(), hypothesis, ask)
    assert [(each.fact, each.author) for each in added] == [("no_recurrence", "rule")]
    assert [entry.asked_by for entry in entries_of(row.pk).values()] == ["playbook", "rule"]
    with pytest.raises(BudgetSpent):
        ask("find_job", {"job_id": "job-7"})


def test_a_top_up_asks_no_more_than_the_budget_allows(tools: Scripted) -> None:
    row = queued()
    hypothesis = "job_finished_on_retry"
    ask = Asker(CallScope("playbook", investigation=row.pk), lease=None, limit=1)
    assert len(top_up(row, subject(), hypothesis, ask)) == 1
    assert len(tools.asked) == 1


@pytest.mark.parametrize("hypothesis", ["report_arrived_late", "no_such_rule", NONE_OF_THESE])
def test_a_top_up_asks_nothing_for_a_rule_that_is_not_about_the_subject(
    hypothesis: str, tools: Scripted
) -> None:
    row = queued()
    ask = Asker(CallScope("playbook", investigation=row.pk), lease=None, limit=9)
    assert top_up(row, subject(), hypothesis, ask) == ()
    assert tools.asked == []


def test_a_worker_that_is_torn_out_of_a_call_is_followed_by_another(tools: Scripted) -> None:
    row = queued()

    def broken(tool: str) -> None:
        raise KeyboardInterrupt

    tools.before_answer = broken
    with pytest.raises(KeyboardInterrupt):
        services.run(row.pk, on_judged=never, on_failed=never)
    tools.before_answer = lambda tool: None
    assert Investigation.objects.get(pk=row.pk).state == State.RUNNING
    expire(row.pk)
    assert judged(row).passed
