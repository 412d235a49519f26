"""What the playbook asks, and which hypothesis it submits."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assay_core.arguments import ToolShape
from assay_core.results import Status
from investigations.outcomes import BudgetSpent
from investigations.playbook import Gathered, investigate
from verdicts.case import NONE_OF_THESE, Entry, Subject
from verdicts.fact import Fact, Refutation
from verdicts.rule import Rule, spec_of
from verdicts.rulebook import Rulebook

BEGAN = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
NOW = BEGAN + timedelta(hours=1)


def _is(state: str) -> Any:
    return lambda answer, subject: answer.text("job.state") == state


def _ask(subject: Subject) -> Mapping[str, Any]:
    return {"job_id": subject["job_id"]}


class AFinished(Rule):
    """The job finished and nothing came after it."""

    version = 1
    kinds = {"alert"}
    needs = {"job_id"}
    finished = Fact(tool="find_job", ask=_ask, holds=_is("completed"))
    quiet = Fact(
        tool="count_errors", ask=_ask, holds=lambda answer, subject: answer.integer("match_count") == 0
    )


class BCancelled(Rule):
    """The job was cancelled."""

    version = 1
    kinds = {"alert"}
    needs = {"job_id"}
    cancelled = Fact(tool="find_job", ask=_ask, holds=_is("cancelled"))


class CLate(Rule):
    """The report came late."""

    version = 1
    kinds = {"alert"}
    needs = {"report_id"}
    arrived = Fact(
        tool="find_job",
        ask=lambda subject: {"job_id": subject["report_id"]},
        holds=_is("completed"),
        not_before=timedelta(hours=2),
    )
    asked_for = Fact(
        tool="count_errors",
        ask=lambda subject: {"job_id": subject["report_id"]},
        holds=lambda answer, subject: answer.integer("match_count") == 0,
    )
    withdrawn = Refutation(
        tool="count_errors", when=lambda answer, subject: answer.integer("match_count") == 99
    )


SHAPES = {name: ToolShape(name, digest="0") for name in ("find_job", "count_errors")}
BOOK = Rulebook(
    rules={spec.name: spec for spec in map(spec_of, (AFinished, BCancelled, CLate))}, shapes=SHAPES
)


class Answers:
    """Answers from a script, each call an entry."""

    def __init__(self, limit: int = 60, *, at: datetime = NOW, **results: Any) -> None:
        self.results = {
            "find_job": {"job": {"state": "completed"}},
            "count_errors": {"match_count": 0},
        } | results
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        self.limit = limit
        self.at = at

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Entry:
        if len(self.asked) >= self.limit:
            raise BudgetSpent("The limit was reached.")
        self.asked.append((tool, arguments))
        number, result = len(self.asked), self.results[tool]
        at = self.at + timedelta(seconds=number)
        status = result if isinstance(result, Status) else Status.OBSERVED
        return Entry(
            id=number,
            leaf=f"{number:064x}",
            investigation=7,
            tool=tool,
            arguments=arguments,
            status=status,
            result=result if status is Status.OBSERVED else None,
            reason="" if status is Status.OBSERVED else "the database is down",
            called_at=at,
            finished_at=at,
            asked_by="playbook",
            covered=None,
        )


def subject(**identifiers: str) -> Subject:
    return Subject(1, "alert", "prometheus", "A job failed", "", BEGAN, BEGAN, identifiers, {}, {})


def gather(answers: Answers, *, now: datetime = NOW, **identifiers: str) -> Gathered:
    about = subject(**(identifiers or {"job_id": "j-1"}))
    return investigate(about, BOOK, answers, now=now, earlier={})


def test_a_subject_that_no_rule_is_about_is_none_of_these_and_asks_nothing() -> None:
    answers = Answers()
    gathered = gather(answers, order_id="ORD-1")
    assert gathered.submission.hypothesis == NONE_OF_THESE
    assert answers.asked == []


def test_an_unavailable_tool_still_submits_what_could_not_be_shown() -> None:
    gathered = gather(Answers(find_job=Status.UNAVAILABLE))
    assert gathered.submission.hypothesis == "a_finished"
    finding = next(each for each in gathered.submission.findings if each.fact == "finished")
    assert "unavailable" in finding.note


def test_the_best_supported_rule_is_submitted_when_none_passes() -> None:
    gathered = gather(Answers(find_job={"job": {"state": "failed"}}))
    assert gathered.submission.hypothesis == "a_finished"
    assert gathered.wait_until is None


def test_the_rule_that_passes_is_submitted_though_another_comes_first() -> None:
    gathered = gather(Answers(find_job={"job": {"state": "cancelled"}}))
    assert gathered.submission.hypothesis == "b_cancelled"


def test_identical_questions_are_asked_once() -> None:
    answers = Answers()
    gather(answers)
    assert [tool for tool, _ in answers.asked] == ["find_job", "count_errors"]


def test_a_spent_budget_ends_the_asking_and_is_said() -> None:
    gathered = gather(Answers(limit=1))
    assert gathered.submission.hypothesis == "a_finished"
    assert [finding.fact for finding in gathered.submission.findings] == ["finished"]
    assert "limit" in gathered.note


def test_an_answer_that_can_earn_nothing_yet_is_waited_for_and_not_asked() -> None:
    answers = Answers()
    gathered = gather(answers, report_id="r-1")
    assert gathered.wait_until == BEGAN + timedelta(hours=2)
    assert gathered.waits_for == "arrived"
    assert [tool for tool, _ in answers.asked] == ["count_errors"]


class DWaits(Rule):
    """Something arrives late, and nothing else is asked."""

    version = 1
    kinds = {"alert"}
    arrived = Fact(tool="find_job", ask=_ask, holds=_is("completed"), not_before=timedelta(hours=2))


def test_a_start_in_the_years_ahead_is_not_waited_for() -> None:
    book = Rulebook(rules={"d_waits": spec_of(DWaits)}, shapes=SHAPES)
    for ahead, is_waited_for in ((timedelta(minutes=59), True), (timedelta(days=9000), False)):
        gathered = investigate(subject(job_id="j-1"), book, Answers(), now=BEGAN - ahead, earlier={})
        assert (gathered.wait_until is not None) is is_waited_for


@pytest.mark.parametrize("count", [1, 99])
def test_nothing_is_waited_for_when_the_rule_is_lost_already(count: int) -> None:
    assert gather(Answers(count_errors={"match_count": count}), report_id="r-1").wait_until is None


def test_a_rule_that_passes_now_goes_before_one_that_waits() -> None:
    gathered = gather(Answers(), job_id="j-1", report_id="r-1")
    assert gathered.submission.hypothesis == "a_finished"
    assert gathered.wait_until is None


def test_once_the_time_has_come_the_question_is_asked() -> None:
    later = BEGAN + timedelta(hours=3)
    gathered = gather(Answers(at=later), now=later, report_id="r-1")
    assert gathered.wait_until is None
    assert {finding.fact for finding in gathered.submission.findings} == {"arrived", "asked_for"}


def test_an_earlier_attempts_answer_counts_beside_the_new_ones() -> None:
    first = Answers(count_errors={"match_count": 99})("count_errors", {"job_id": "r-1"})
    answers = Answers(at=NOW + timedelta(minutes=1))
    answers.asked.append(("earlier", {}))
    gathered = investigate(subject(report_id="r-1"), BOOK, answers, now=NOW, earlier={first.id: first})
    assert gathered.wait_until is None  # the refutation that the first attempt saw still stands


def test_the_findings_cite_the_entries_that_answered() -> None:
    gathered = gather(Answers())
    assert [(each.fact, each.entry, each.author) for each in gathered.submission.findings] == [
        ("finished", 1, "playbook"),
        ("quiet", 2, "playbook"),
    ]
