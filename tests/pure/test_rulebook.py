"""Which rules are about a subject, and what they demand to be asked."""

from dataclasses import replace
from datetime import timedelta

from tests.pure.rules_for_tests._world import (
    BEGAN,
    JOB_ENTRY,
    RETRY_FINISHED,
    RULEBOOK,
    SHAPES,
    SUBJECT,
    job_fact,
    judge,
    rule_of,
    submitted,
)
from verdicts.case import Subject
from verdicts.demand import Demand
from verdicts.rulebook import Rulebook


def test_only_active_rules_that_are_about_the_subject_are_applicable() -> None:
    def names(book: Rulebook, subject: Subject = SUBJECT) -> list[str]:
        return [rule.name for rule in book.applicable(subject)]

    assert names(RULEBOOK) == ["retry_finished"]
    assert names(RULEBOOK, replace(SUBJECT, kind="claim")) == []
    assert names(RULEBOOK, replace(SUBJECT, identifiers={"job_id": "J-7", "error_class": ""})) == []
    assert names(replace(RULEBOOK, suspended=frozenset({"retry_finished"}))) == []
    assert names(replace(RULEBOOK, broken={"retry_finished": "why"})) == []
    assert (
        names(replace(RULEBOOK, rules={"retry_finished": replace(RETRY_FINISHED.spec, retired="why")})) == []
    )


def test_demands_are_in_the_one_form_that_the_gateway_records() -> None:
    subject = replace(SUBJECT, identifiers={"job_id": "  J-7 ", "error_class": "UpstreamTimeout"})
    assert RULEBOOK.demands(RETRY_FINISHED.spec, subject) == (
        Demand("job_completed", "find_job", {"job_id": "J-7"}),
        Demand(
            "no_recurrence",
            "count_log_matches",
            {"until": None, "query": "UpstreamTimeout", "since": "2026-07-01T10:00:00.000000Z"},
        ),
    )


def test_a_demand_says_from_when_on_its_answer_counts() -> None:
    rule = rule_of(job_fact(not_before=timedelta(minutes=30)))
    book = Rulebook(rules={"one_fact": rule}, shapes=SHAPES)
    assert book.demands(rule, SUBJECT)[0].not_before == BEGAN + timedelta(minutes=30)


def test_a_default_that_is_a_time_is_asked_as_text() -> None:
    shape = replace(SHAPES["find_job"], defaults={"since": BEGAN})
    rule = rule_of(job_fact())
    book = Rulebook(rules={}, shapes={"find_job": shape})
    assert book.demands(rule, SUBJECT)[0].arguments["since"] == "2026-07-01T10:00:00.000000Z"


def test_what_can_not_be_asked_is_not_demanded() -> None:
    rule = RETRY_FINISHED.spec
    assert [
        demand.fact for demand in RULEBOOK.demands(rule, replace(SUBJECT, identifiers={"job_id": "J-7"}))
    ] == ["job_completed"]
    assert Rulebook(rules={rule.name: rule}, shapes={}).demands(rule, SUBJECT) == ()


def test_a_shape_may_change_what_is_demanded_but_not_what_was_recorded() -> None:
    widened = replace(SHAPES["find_job"], defaults={"tenant": "all"})
    rule = rule_of(job_fact())
    book = Rulebook(rules={"one_fact": rule}, shapes={**SHAPES, "find_job": widened})
    assert not judge(JOB_ENTRY, rulebook=book, submission=submitted(hypothesis="one_fact")).passed
    recorded = replace(JOB_ENTRY, arguments={"tenant": "all", "job_id": "J-7"})
    assert judge(recorded, rulebook=book, submission=submitted(hypothesis="one_fact")).passed
