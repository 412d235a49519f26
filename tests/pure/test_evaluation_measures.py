"""What an evaluation measures, what it says, and which cases a set means."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from incidents.figures.intervals import Rate
from trials.evaluating.bar import Bar
from trials.evaluating.driving import Stand
from trials.evaluating.measuring import measures, over_cases
from trials.evaluating.scores import CaseRow, RunRow
from trials.evaluating.sets import Closed, Folder, SetUnknown, chosen
from trials.evaluating.telling import report

CASE = CaseRow(1, "1", False, "pass", "rule_a", frozenset({"one", "two"}), playbook_passed=True)
RUN = RunRow(1, "done", "first_pass", "rule_a", passed_before=True, passed=True)
BOTH = frozenset({"one", "two"})


def runs(case: int, well: int, of: int) -> list[RunRow]:
    """Make runs of a case of which so many gathered everything."""
    return [
        replace(RUN, case=case, gathered=BOTH if place < well else frozenset({"one"})) for place in range(of)
    ]


def test_a_run_without_a_reply_of_the_endpoint_is_in_no_denominator() -> None:
    down = RunRow(1, "down")
    found = measures([CASE], [*runs(1, 1, 1), down, down])
    assert found.facts.every == Rate(1, 1)
    assert found.after.agreed == Rate(1, 1)
    assert (found.outcomes["endpoint_down"], found.states["down"]) == (2, 2)


@pytest.mark.parametrize("outcome", ["fallback", "refused", "cut_off"])
def test_what_handed_nothing_in_is_counted_apart_and_no_wrong_answer(outcome: str) -> None:
    fell = replace(RUN, outcome=outcome, passed=None, passed_before=None)
    found = measures([replace(CASE, actual="fail")], [fell])
    assert found.after.agreed == found.after.false_passes == Rate(0, 0)
    assert found.outcomes[outcome] == 1
    assert found.facts.every == Rate(0, 1)  # it did not gather, whatever came of it


def test_pass_hat_3_counts_cases_and_leaves_out_those_with_too_few_runs() -> None:
    other, third = replace(CASE, id=2, key="2"), replace(CASE, id=3, key="3")
    found = measures([CASE, other, third], [*runs(1, 8, 10), *runs(2, 5, 5), *runs(3, 2, 2)])
    assert found.facts.all_k == pytest.approx((56 / 120 + 1) / 2)
    assert found.facts.at_k == pytest.approx(1.0)
    assert (found.facts.every, found.facts.too_few) == (Rate(15, 17), 1)
    assert [(each.fact, each.agent) for each in found.recall] == [
        ("one", Rate(17, 17)),
        ("two", Rate(15, 17)),
    ]


def test_verdicts_are_compared_before_and_after_code_asked() -> None:
    bad = replace(CASE, actual="fail")
    found = measures([bad], [replace(RUN, passed_before=False, passed=True)] * 5)
    assert (found.before.false_passes, found.after.false_passes) == (Rate(0, 5), Rate(5, 5))
    assert found.after.cases == Rate(1, 1)


def test_a_case_with_an_erased_answer_has_no_verdict_to_compare_with() -> None:
    found = measures([replace(CASE, erased=1)], runs(1, 1, 1))
    assert found.after.agreed == Rate(0, 0)
    assert (found.not_compared, found.erased) == (1, 1)
    assert "because an answer was erased" in report(found)


def test_a_healthy_window_is_in_no_score_but_its_own() -> None:
    twin = CaseRow(2, "2", True, "fail", "", frozenset())
    none = RunRow(2, "done", "first_pass", "none_of_these", passed_before=False, passed=False)
    found = measures([CASE, twin], [*runs(1, 1, 1), none, replace(none, passed=True, hypothesis="rule_a")])
    assert found.after.false_passes == Rate(0, 1)
    assert (found.twins.passed, found.twins.none) == (Rate(1, 2), Rate(1, 2))


def test_the_constant_answer_is_what_is_most_often_so_and_in_a_tie_the_cheap_mistake() -> None:
    cases = [CASE, replace(CASE, id=2, key="2", actual="fail")]
    beside = measures(cases, []).beside
    assert (beside.constant_answer, beside.constant.agreed) == ("fail", Rate(1, 2))
    beside = measures([*cases, replace(CASE, id=3, key="3")], []).beside
    assert (beside.constant_answer, beside.constant.false_passes) == ("pass", Rate(1, 3))


def test_false_passes_come_first_and_fewer_than_five_are_fractions() -> None:
    said = report(measures([replace(CASE, actual="fail")], [RUN] * 4))
    assert said.startswith("FALSE PASSES: 4 of 4 verdicts, in 1 of 1 cases.")
    assert "%" not in said.splitlines()[0]
    assert "4 of 4" in said.partition("false passes")[2]
    assert "100 %" in report(measures([CASE], [RUN] * 5))


def test_an_evaluation_without_any_run_says_so_and_divides_by_nothing() -> None:
    said = report(measures([], []))
    assert "FALSE PASSES: 0 of 0 verdicts" in said
    assert "Runs: 0 done" in said


def test_an_interval_is_over_cases_and_never_over_their_runs() -> None:
    assert over_cases([1.0] * 4) is None
    found = over_cases([1.0, 0.8, 1.0, 0.8, 1.0])
    assert found is not None
    assert (round(found.low, 2), found.high) == (0.55, 1.0)  # as 5 of 5


def test_a_set_is_a_query_of_closed_incidents_or_a_folder(tmp_path: Path) -> None:
    assert chosen("closed:") == Closed()
    found = chosen("closed:rule=disk_space_recovered since=2026-01-31 outcome=real_and_fixed most=50")
    assert isinstance(found, Closed)
    assert (found.rule, found.outcome, found.most) == ("disk_space_recovered", "real and fixed", 50)
    assert found.since is not None
    assert found.since.isoformat() == "2026-01-31T00:00:00+00:00"
    assert chosen(str(tmp_path)) == Folder(tmp_path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "No set was named"),
        ("nowhere/at/all", "There is no folder or file"),
        ("closed:rule=a rule=b", "given twice"),
        ("closed:colour=red", "says nothing about closed incidents"),
        ("closed:rule=", "says nothing about closed incidents"),
        ("closed:since=yesterday", "is no date"),
        ("closed:kind=cat", "There is no kind 'cat'"),
        ("closed:most=all", "is no number of incidents"),
    ],
)
def test_a_set_that_means_nothing_gives_a_sentence(text: str, says: str) -> None:
    with pytest.raises(SetUnknown, match=says):
        chosen(text)


def test_the_bar_writes_a_line_for_each_tenth_where_nobody_watches() -> None:
    to = io.StringIO()
    bar = Bar(to, is_terminal=False)
    for done in range(101):
        bar(Stand(100, done, 2, 0, 1_500_000, "", ""))
    bar.close()
    lines = to.getvalue().splitlines()
    assert len(lines) == 11
    assert lines[5].startswith(f"[{'#' * 15}{'.' * 15}] 50/100 runs, 2 without a reply, 1.50 spent")
