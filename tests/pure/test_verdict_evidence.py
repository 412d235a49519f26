"""Which entry decides a fact, and every way in which a wrong one could try to earn the pass."""

import math
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from itertools import permutations
from typing import Any

import pytest

from assay_core.results import Status
from tests.pure.rules_for_tests._world import (
    JOB_ENTRY,
    LOG_ENTRY,
    SUBJECT,
    case_of,
    job_fact,
    judge,
    judge_fact_on,
)
from verdicts.case import Entry
from verdicts.outcomes import Outcome
from verdicts.verdict import Verdict

MINUTE = timedelta(minutes=1)


def with_job(**changes: Any) -> Verdict:
    return judge(replace(JOB_ENTRY, **changes), LOG_ENTRY)


def with_log(**changes: Any) -> Verdict:
    return judge(JOB_ENTRY, replace(LOG_ENTRY, **changes))


def job(**fields: Any) -> dict[str, Any]:
    return {"job": {"id": "J-7", "state": "completed", "finished_at": "2026-07-01T10:12:00Z", **fields}}


def assert_unanswerable(verdict: Verdict, words: str) -> None:
    assert not verdict.passed
    fact = next(fact for fact in verdict.facts if fact.outcome is not Outcome.HOLDS)
    assert fact.outcome is Outcome.UNANSWERABLE
    assert words in fact.reason
    assert verdict.deciding == fact.name


def test_the_run_that_the_others_spoil_earns_its_pass() -> None:
    verdict = judge(JOB_ENTRY, LOG_ENTRY)
    assert verdict.passed
    assert verdict.deciding == ""
    assert [fact.entry for fact in verdict.facts] == [11, 12]
    assert verdict.facts[0].reason == (
        'Entry 11: job.state is "completed", job.finished_at is "2026-07-01T10:12:00Z".'
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"job_id": "J-8"}, 'for job_id "J-8" instead of "J-7"'),
        ({"job_id": "j-7"}, 'for job_id "j-7" instead of "J-7"'),
        ({"job_id": 7}, "for job_id 7 instead of"),
        ({"job_id": ["J-7"]}, "for job_id a list of 1 instead of"),
        ({"job_id": None}, "for job_id null instead of"),
        ({"Job_id": "J-7"}, "without job_id"),
        ({}, "without job_id"),
        ({"job_id": "J-7", "tenant": None}, "with tenant null, which does not belong to the question"),
        ({"job_id": "J-7", "state": "completed"}, 'with state "completed"'),
    ],
)
def test_another_question_earns_nothing(arguments: dict[str, Any], words: str) -> None:
    assert_unanswerable(with_job(arguments=arguments), words)


def test_a_default_that_was_not_recorded_makes_another_question() -> None:
    assert_unanswerable(
        with_log(arguments={"query": "UpstreamTimeout", "since": "2026-07-01T10:00:00.000000Z"}),
        "without until null",
    )


@pytest.mark.parametrize(
    "demanded", [1, True, 1.0, "1", [1], [True], {"n": 1}, 0, False, 0.0, -0.0, None, ""]
)
def test_demanded_and_recorded_arguments_are_equal_by_type_too(demanded: Any) -> None:
    fact = job_fact(ask=lambda subject: {"x": demanded})
    for recorded in (1, True, 1.0, "1", [1], [True], {"n": 1}, {"n": True}, 0, False, 0.0, -0.0, None, ""):
        verdict = judge_fact_on(replace(JOB_ENTRY, arguments={"x": recorded}), fact)
        assert verdict.passed is (repr(demanded) == repr(recorded))


def test_one_part_of_another_type_among_equal_ones_makes_another_question() -> None:
    fact = job_fact(ask=lambda subject: {"x": 1, "y": [1, 1], "z": {"a": 1, "b": 1}})
    asked = {"x": 1, "y": [1, 1], "z": {"a": 1, "b": 1}}
    for spoil in ({"x": True}, {"y": [1, True]}, {"y": [True, 1]}, {"z": {"a": 1, "b": 1.0}}):
        assert judge_fact_on(replace(JOB_ENTRY, arguments=asked), fact).passed
        assert not judge_fact_on(replace(JOB_ENTRY, arguments={**asked, **spoil}), fact).passed


def test_not_a_number_is_never_a_question_however_it_is_recorded() -> None:
    fact = job_fact(ask=lambda subject: {"x": math.nan})
    assert not judge_fact_on(replace(JOB_ENTRY, arguments={"x": math.nan}), fact).passed


class Word(StrEnum):
    OPEN = "open"


def test_tuples_words_and_times_are_asked_as_plain_values_wherever_they_stand() -> None:
    fact = job_fact(ask=lambda subject: {"x": (Word.OPEN, [subject.started_at]), "y": {"z": Word.OPEN}})
    recorded = {"x": ["open", ["2026-07-01T10:00:00.000000Z"]], "y": {"z": "open"}}
    assert judge_fact_on(replace(JOB_ENTRY, arguments=recorded), fact).passed
    assert not judge_fact_on(replace(JOB_ENTRY, arguments={**recorded, "y": {"z": "OPEN"}}), fact).passed


@pytest.mark.parametrize(
    "asked",
    [None, "J-7", ["J-7"], {"x": ["\ud800"]}, {1: "J-7"}, {"x": {1, 2}}, {"x": b"J-7"}, {"x": "\ud800"}],
)
def test_what_is_no_question_can_not_be_put(asked: Any) -> None:
    verdict = judge_fact_on(replace(JOB_ENTRY, arguments={}), job_fact(ask=lambda subject: asked))
    assert_unanswerable(verdict, "The question can't be put")
    assert verdict.facts[0].demanded is None


def test_a_time_in_a_question_is_utc_text() -> None:
    fact = job_fact(ask=lambda subject: {"since": subject.started_at})
    for recorded, passes in (("2026-07-01T10:00:00.000000Z", True), ("2026-07-01T10:00:00Z", False)):
        assert judge_fact_on(replace(JOB_ENTRY, arguments={"since": recorded}), fact).passed is passes


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (Status.EMPTY, "Entry 11 found nothing"),
        (Status.TRUNCATED, "Entry 11 was cut by a limit"),
        (Status.UNANSWERABLE, "Entry 11 gave no answer (unanswerable): no such tenant."),
        (Status.ERROR, "gave no answer (error)"),
        (Status.UNAVAILABLE, "gave no answer (unavailable)"),
        (Status.REFUSED, "gave no answer (refused)"),
    ],
)
def test_only_what_was_observed_can_be_read(status: Status, words: str) -> None:
    assert_unanswerable(with_job(status=status, reason="no such tenant"), words)


def test_each_leave_to_read_covers_its_own_status_only() -> None:
    leave = {
        Status.EMPTY: job_fact(accepts_empty=True),
        Status.TRUNCATED: job_fact(truncation_harmless_because="one row is asked for"),
    }
    for granted, fact in leave.items():
        for status in Status:
            passes = status in (Status.OBSERVED, granted)
            assert judge_fact_on(replace(JOB_ENTRY, status=status), fact).passed is passes


def test_an_accepted_empty_answer_is_still_checked() -> None:
    fact = job_fact(accepts_empty=True, holds=lambda answer, subject: answer.count("rows") == 0)
    nothing = replace(JOB_ENTRY, status=Status.EMPTY)
    assert judge_fact_on(replace(nothing, result={"rows": []}), fact).passed
    assert not judge_fact_on(replace(nothing, result={"rows": [1]}), fact).passed
    assert not judge_fact_on(replace(nothing, result=None), fact).passed


def test_an_entry_of_another_run_under_the_same_tool_and_question_earns_nothing() -> None:
    assert_unanswerable(with_job(investigation=8), "Nobody asked find_job.")


def test_another_tools_answer_earns_nothing() -> None:
    assert_unanswerable(with_job(tool="Find_job"), "Nobody asked find_job.")


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (job(state="Completed"), 'job.state is "Completed"'),
        (job(finished_at="2026-07-01T10:00:00Z"), 'job.finished_at is "2026-07-01T10:00:00Z"'),
    ],
)
def test_a_check_that_says_no_fails_the_fact_and_names_field_and_value(result: Any, words: str) -> None:
    verdict = with_job(result=result)
    assert not verdict.passed
    assert verdict.facts[0].outcome is Outcome.FAILS
    assert words in verdict.facts[0].reason
    assert "the job completed after the incident began" in verdict.facts[0].reason
    assert verdict.reason.startswith("job_completed does not hold: ")


@pytest.mark.parametrize(
    "result", [None, {}, [], job(state=None), job(state=True), job(finished_at=None), "completed"]
)
def test_a_field_that_can_not_be_read_is_unanswerable(result: Any) -> None:
    assert_unanswerable(with_job(result=result), "Entry 11 can't be read: job")


class Truthy:
    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]  # its equality has no hash


@pytest.mark.parametrize(
    "value",
    [1, "yes", [1], Truthy(), None, 0, object(), lambda: True],
    ids=lambda value: type(value).__name__,
)
def test_only_true_itself_holds(value: Any) -> None:
    fact = job_fact(holds=lambda answer, subject: (answer.text("job.state"), value)[1])
    assert_unanswerable(judge_fact_on(JOB_ENTRY, fact), "not True or False")


def test_a_check_that_reads_nothing_earns_nothing() -> None:
    assert_unanswerable(
        judge_fact_on(JOB_ENTRY, job_fact(holds=lambda answer, subject: True)), "read no field"
    )


@pytest.mark.parametrize(
    "error", [RecursionError, MemoryError, SystemExit, ZeroDivisionError, StopIteration, AssertionError]
)
def test_whatever_a_check_or_a_question_raises_is_unanswerable(error: type[BaseException]) -> None:
    def fail(*values: object) -> Any:
        raise error("at 0x7f00dead")

    for fact in (job_fact(holds=fail), job_fact(ask=fail)):
        verdict = judge_fact_on(JOB_ENTRY, fact)
        assert_unanswerable(verdict, f"the code raised {error.__name__}")
        assert "0x7f00dead" not in verdict.reason


def test_a_check_that_never_ends_its_recursion_is_unanswerable() -> None:
    def again(answer: Any, subject: Any) -> bool:
        return again(answer, subject)

    assert_unanswerable(judge_fact_on(JOB_ENTRY, job_fact(holds=again)), "RecursionError")


def test_a_subject_without_the_identifier_asks_nothing() -> None:
    for identifiers in ({}, {"job_id": ""}, {"job_id": "  "}):
        verdict = judge_fact_on(JOB_ENTRY, job_fact(), subject=replace(SUBJECT, identifiers=identifiers))
        assert_unanswerable(verdict, "the incident carries no job_id")


GOOD, BAD = job(), job(state="failed")


def again(entry: Entry, minutes: float, number: int, **changes: Any) -> Entry:
    moment = entry.called_at + minutes * MINUTE
    return replace(entry, id=number, leaf=f"{number:064}", called_at=moment, finished_at=moment, **changes)


def test_the_newest_answer_decides_whichever_is_cited_and_in_whatever_order_they_are_given() -> None:
    earlier_bad = again(JOB_ENTRY, -5, 10, result=BAD)
    later_bad = again(JOB_ENTRY, 0.5, 20, result=BAD)
    assert judge(earlier_bad, JOB_ENTRY, LOG_ENTRY).passed
    assert judge(JOB_ENTRY, LOG_ENTRY, earlier_bad).passed
    for run in ((JOB_ENTRY, LOG_ENTRY, later_bad), (later_bad, JOB_ENTRY, LOG_ENTRY)):
        verdict = judge(*run)
        assert not verdict.passed
        assert verdict.facts[0].entry == 20


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.OBSERVED])
def test_a_newest_answer_that_can_not_be_read_hides_the_older_good_one(status: Status) -> None:
    assert_unanswerable(judge(JOB_ENTRY, LOG_ENTRY, again(JOB_ENTRY, 0.5, 20, status=status)), "Entry 20")


def test_of_two_answers_at_the_same_moment_both_must_hold() -> None:
    for number in (5, 20):
        verdict = judge(JOB_ENTRY, LOG_ENTRY, again(JOB_ENTRY, 0, number, result=BAD))
        assert not verdict.passed
        assert verdict.facts[0].entry == number
    assert judge(JOB_ENTRY, LOG_ENTRY, again(JOB_ENTRY, 0, 20, result=GOOD)).passed


def test_in_a_tie_the_order_in_which_entries_are_given_chooses_nothing() -> None:
    tied = [again(JOB_ENTRY, 0, number, result=BAD) for number in (20, 21, 22)]
    listed = case_of([LOG_ENTRY, *tied]).entries
    verdicts = [judge(LOG_ENTRY, *run, entries=listed) for run in permutations(tied)]
    assert all(verdict == verdicts[0] for verdict in verdicts)


def test_where_a_clock_stepped_back_the_last_by_time_and_the_last_by_id_must_both_hold() -> None:
    verdict = judge(JOB_ENTRY, LOG_ENTRY, again(JOB_ENTRY, -5, 20, result=BAD))
    assert not verdict.passed
    assert verdict.facts[0].entry == 20
