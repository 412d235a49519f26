"""When an answer counts: the moment it came, its age, what is dated ahead, and the window it covered."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.pure.rules_for_tests._world import (
    BEGAN,
    JOB_ENTRY,
    JUDGED,
    LOG_ENTRY,
    job_fact,
    judge,
    judge_fact_on,
)
from tests.pure.test_verdict_evidence import MINUTE, again, assert_unanswerable, job, with_job, with_log


@pytest.mark.parametrize("before", [timedelta(0), timedelta(microseconds=1), timedelta(days=1)])
def test_an_answer_from_before_the_incident_or_its_very_moment_earns_nothing(before: timedelta) -> None:
    assert_unanswerable(with_job(called_at=BEGAN - before), "not after the incident began")


def test_the_first_moment_after_the_beginning_counts() -> None:
    assert with_job(called_at=BEGAN + timedelta(microseconds=1)).passed


@pytest.mark.parametrize(
    "changes",
    [
        {"finished_at": JUDGED + timedelta(microseconds=1)},
        {"called_at": JUDGED + MINUTE, "finished_at": JUDGED + 2 * MINUTE},
        {"finished_at": BEGAN},
    ],
)
def test_times_that_can_not_be_earn_nothing(changes: dict[str, Any]) -> None:
    assert_unanswerable(with_job(**changes), "The times of entry 11 can't be")


def test_an_answer_that_came_at_the_very_moment_of_judging_counts() -> None:
    assert with_job(finished_at=JUDGED).passed


def test_not_before_is_counted_from_the_incidents_start() -> None:
    fact = job_fact(not_before=20 * MINUTE)
    assert judge_fact_on(JOB_ENTRY, fact).passed
    early = replace(JOB_ENTRY, called_at=JOB_ENTRY.called_at - timedelta(microseconds=1))
    assert_unanswerable(judge_fact_on(early, fact), "only from 2026-07-01T10:20:00.000000Z on does it count")


def test_max_age_is_counted_back_from_the_judging() -> None:
    assert judge_fact_on(JOB_ENTRY, job_fact(max_age=MINUTE)).passed
    too_old = job_fact(max_age=MINUTE - timedelta(microseconds=1))
    assert_unanswerable(judge_fact_on(JOB_ENTRY, too_old), "older than")


def test_an_answer_counts_for_an_hour_where_its_fact_says_nothing_else() -> None:
    hour_later = JOB_ENTRY.called_at + timedelta(hours=1)
    assert judge_fact_on(JOB_ENTRY, job_fact(), judged_at=hour_later).passed
    late = judge_fact_on(JOB_ENTRY, job_fact(), judged_at=hour_later + timedelta(microseconds=1))
    assert_unanswerable(late, "older than 1:00:00")
    days = job_fact(max_age=timedelta(days=2))
    assert judge_fact_on(JOB_ENTRY, days, judged_at=hour_later + timedelta(days=1)).passed


@pytest.mark.parametrize(
    ("finished_at", "passes"),
    [
        ("2026-07-01T10:20:00Z", True),
        ("2026-07-01T12:20:00+02:00", True),
        ("2026-07-01T10:20:00.000001Z", False),
        ("2026-07-01T10:19:00-01:00", False),
        ("2026-07-02T10:12:00Z", False),
        ("9999-12-31T23:59:59Z", False),
    ],
)
def test_what_is_dated_ahead_of_its_answer_has_not_happened(finished_at: str, passes: bool) -> None:
    verdict = with_job(result=job(finished_at=finished_at), finished_at=JOB_ENTRY.called_at)
    assert verdict.passed is passes
    if not passes:
        assert_unanswerable(verdict, "job.finished_at must be a time that had come by 2026-07-01T10:20:00.0")


@pytest.mark.parametrize(
    "covered",
    [
        None,
        {},
        {"until": "2026-07-01T10:20:00Z"},
        {"since": None},
        {"since": 0},
        {"since": "2026-07-01T10:00:00"},
        {"since": "2026-07-01T10:00:00.000001Z"},
        {"since": ["2026-07-01T09:00:00Z"]},
        {"since": "2026-07-01T10:00:00Z"},
        {"since": "2026-07-01T10:00:00Z", "until": None},
        {"since": "2026-07-01T10:00:00Z", "until": "2026-07-01T10:20:00"},
        {"since": "2026-07-01T10:00:00Z", "until": "2026-07-01T10:19:59.999999Z"},
    ],
)
def test_an_answer_that_did_not_cover_the_window_earns_nothing(covered: Any) -> None:
    verdict = with_log(covered=covered)
    assert_unanswerable(verdict, "Entry 12")
    assert verdict.deciding == "no_recurrence"


def test_an_answer_without_a_window_is_told_apart_from_one_with_another_window() -> None:
    assert_unanswerable(with_log(covered=None), "does not say which window it covered")
    assert_unanswerable(
        with_log(covered={"until": "2026-07-01T10:20:00Z"}), "does not say since when it covered"
    )


def test_a_window_without_an_asked_end_reaches_up_to_the_call() -> None:
    for until in ("2026-07-01T10:20:00Z", "2026-07-01T12:20:00+02:00", "2026-07-01T10:21:00Z"):
        assert with_log(covered={"since": "2026-07-01T10:00:00Z", "until": until}).passed
    short = with_log(covered={"since": "2026-07-01T10:00:00Z", "until": "2026-07-01T10:01:00Z"})
    assert_unanswerable(short, "was to reach up to the call at 2026-07-01T10:20:00.000000Z")


def test_the_nearest_wrong_question_is_the_one_that_is_told() -> None:
    nearest = replace(LOG_ENTRY, arguments={**LOG_ENTRY.arguments, "tenant": "acme"})
    far = again(LOG_ENTRY, 0, 20, arguments={"query": "Other"})
    for run in ((JOB_ENTRY, nearest, far), (JOB_ENTRY, far, nearest)):
        assert_unanswerable(judge(*run), 'entry 12 asked with tenant "acme"')


def test_the_later_edge_must_be_reached_too() -> None:
    fact = job_fact(ask=lambda subject: {"until": subject.started_at + MINUTE}, covers={"until": "until"})
    entry = replace(JOB_ENTRY, arguments={"until": "2026-07-01T10:01:00.000000Z"})
    for covered, passes in (("2026-07-01T10:01:00Z", True), ("2026-07-01T10:00:59.999999Z", False)):
        assert judge_fact_on(replace(entry, covered={"until": covered}), fact).passed is passes


def test_a_window_that_nobody_asked_for_can_not_be_covered() -> None:
    fact = job_fact(covers={"since": "since"})
    assert not judge_fact_on(replace(JOB_ENTRY, covered={"since": "2026-07-01T00:00:00Z"}), fact).passed
