"""The decision table at each of its limits, the order of its rules, and the patterns that are named."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from investigations.classification import contract
from investigations.states import RunResult
from investigations.talk import Spent
from trials.drills import patterns, telling
from trials.drills.answers import Answer
from trials.drills.comparing import Comparison, compare
from trials.drills.policy import Outcome, PolicyUnusable, decide, parsed

ROOT = Path(__file__).resolve().parents[2]
LABELS = contract().labels
TEXT = (ROOT / "drills" / "policy.toml").read_text(encoding="utf-8")
POLICY = parsed(TEXT, labels=LABELS)
ROWS = 100


def right(number: int, **changed: Any) -> Answer:
    """Return an answer that agrees; `changed` makes it another."""
    label = LABELS[number % 4]
    answer = Answer(f"r{number}", label, label, RunResult.FIRST_PASS, needs_human=False)
    return replace(answer, **changed)


def wrong(number: int, **changed: Any) -> Answer:
    """Return an answer with a wrong label that ends no issue."""
    return right(number, got=LABELS[(number + 1) % 4], **changed)


def without(number: int, status: RunResult) -> Answer:
    """Return an answer that did not meet the contract."""
    return right(number, got="", needs_human=True, status=status)


def compared(
    new: Mapping[int, Answer], old: Mapping[int, Answer] | None = None, rows: int = ROWS
) -> Comparison:
    """Compare two runs that are right but for what is given."""
    before = [(old or {}).get(number) or right(number) for number in range(rows)]
    after = [new.get(number) or right(number) for number in range(rows)]
    return compare(before, after, closing=POLICY.closing_labels)


def decided(
    new: Mapping[int, Answer], old: Mapping[int, Answer] | None = None, rows: int = ROWS
) -> tuple[Outcome, str]:
    said = decide(compared(new, old, rows), POLICY)
    return said.outcome, next((rule.rule for rule in said.rules if rule.outcome), "")


def test_one_new_false_pass_stops_whatever_else_is_better() -> None:
    old = {number: wrong(number) for number in range(1, 20)}
    assert decided({0: right(0, got="spam")}, old) == (Outcome.STOP, "new false passes")


def test_a_false_pass_that_was_one_before_stops_nothing() -> None:
    spam = {0: right(0, got="spam")}
    assert decided(spam, spam) == (Outcome.PROMOTE, "")


@pytest.mark.parametrize("harmless", [{"got": "spam", "needs_human": True}, {"got": "docs"}])
def test_a_wrong_label_that_somebody_sees_or_that_ends_nothing_is_no_false_pass(
    harmless: dict[str, Any],
) -> None:
    assert decided({0: right(0, **harmless)}) == (Outcome.PROMOTE, "")


@pytest.mark.parametrize(
    ("count", "outcome"), [(2, (Outcome.PROMOTE, "")), (3, (Outcome.STOP, "schema-valid at first try"))]
)
def test_ninety_eight_of_a_hundred_valid_at_first_try_are_enough(
    count: int, outcome: tuple[Outcome, str]
) -> None:
    repaired = {number: right(number, status=RunResult.REPAIRED) for number in range(count)}
    assert decided(repaired, repaired) == outcome


@pytest.mark.parametrize(
    ("count", "outcome"), [(4, (Outcome.PROMOTE, "")), (5, (Outcome.STOP, "repaired or fallen back"))]
)
def test_two_points_more_repairs_and_fallbacks_are_borne_and_a_row_more_is_not(
    count: int, outcome: tuple[Outcome, str]
) -> None:
    repaired = {number: right(number, status=RunResult.REPAIRED) for number in range(count)}
    said = decide(compared(repaired, rows=200), replace(POLICY, first_try_least=0.5))
    assert (said.outcome, next((rule.rule for rule in said.rules if rule.outcome), "")) == outcome


@pytest.mark.parametrize(("lost", "outcome"), [(5, (Outcome.PROMOTE, "")), (6, (Outcome.STOP, "agreement"))])
def test_six_rows_lost_and_none_gained_stop_and_five_do_not(lost: int, outcome: tuple[Outcome, str]) -> None:
    assert decided({number: wrong(number) for number in range(lost)}) == outcome


@pytest.mark.parametrize(("more", "outcome"), [(5, (Outcome.PROMOTE, "")), (6, (Outcome.HOLD, "escalated"))])
def test_five_points_more_escalations_are_borne_and_six_hold(more: int, outcome: tuple[Outcome, str]) -> None:
    assert decided({number: right(number, needs_human=True) for number in range(more)}) == outcome


@pytest.mark.parametrize(("unsteady", "outcome"), [(5, (Outcome.PROMOTE, "")), (6, (Outcome.HOLD, "pass^3"))])
def test_five_points_less_of_pass_three_are_borne_and_six_hold(
    unsteady: int, outcome: tuple[Outcome, str]
) -> None:
    before = [right(number, time=time) for number in range(ROWS) for time in (1, 2, 3)]
    after = [
        wrong(number, time=time) if time == 3 and number < unsteady else right(number, time=time)
        for number in range(ROWS)
        for time in (1, 2, 3)
    ]
    said = decide(compare(before, after, closing=POLICY.closing_labels), POLICY)
    assert (said.outcome, next((rule.rule for rule in said.rules if rule.outcome), "")) == outcome


@pytest.mark.parametrize(("rows", "outcome"), [(59, (Outcome.PROMOTE, "")), (58, (Outcome.TOO_FEW, "rows"))])
def test_too_few_rows_for_the_stated_power_promote_nothing(rows: int, outcome: tuple[Outcome, str]) -> None:
    assert POLICY.rows_needed == 59
    assert decided({}, rows=rows) == outcome


def test_few_rows_give_counts_and_no_percentage() -> None:
    lines = list(telling.table(compared({}, rows=58), POLICY.rows_needed))
    assert not any("%" in line for line in lines)
    assert any("58 of 58" in line for line in lines)
    assert any("%" in line for line in telling.table(compared({}, rows=59), POLICY.rows_needed))


def test_a_stop_comes_before_a_hold_and_a_hold_before_too_few_rows() -> None:
    asked = {number: right(number, needs_human=True) for number in range(10, 30)}
    assert decided(asked, rows=40)[0] is Outcome.HOLD
    assert decided({**asked, 0: right(0, got="duplicate")}, rows=40)[0] is Outcome.STOP


def test_rows_of_an_endpoint_that_was_down_leave_every_denominator() -> None:
    down = {number: without(number, RunResult.ENDPOINT_DOWN) for number in range(10)}
    found = compared(down)
    assert (found.rows, found.left_out, found.new.agreement.of, found.old.agreement.of) == (90, 10, 90, 90)
    assert found.differing == ()
    assert found.new.escalated.hits == 0


@pytest.mark.parametrize("status", [RunResult.REFUSED, RunResult.CUT_OFF, RunResult.FALLBACK])
def test_refused_cut_off_and_fallen_back_are_not_schema_ok(status: RunResult) -> None:
    found = compared({7: without(7, status)})
    assert (found.new.schema_ok.hits, found.new.agreement.hits, found.new.escalated.hits) == (99, 99, 1)
    assert found.differing == ("r7",)


def test_scores_are_given_without_overrides_and_on_the_frozen_part() -> None:
    marked = {1: right(1, is_override=True), 2: right(2, is_frozen=True)}
    found = compared({1: wrong(1, is_override=True), 2: right(2, is_frozen=True)}, marked)
    parts = {part.name: (part.new.hits, part.new.of) for part in found.parts}
    assert parts == {"without overrides": (99, 99), "overrides alone": (0, 1), "frozen part": (1, 1)}


def test_two_runs_of_other_rows_are_not_compared() -> None:
    with pytest.raises(ValueError):
        compare([right(1)], [right(2)], closing=())
    with pytest.raises(ValueError):
        compare([right(1)], [right(1, expected="spam")], closing=())


BROKEN = {
    "no TOML": "version = ",
    "no version": TEXT.replace("version = 1", ""),
    "version of text": TEXT.replace("version = 1", 'version = "1"'),
    "a table too few": TEXT.replace("[escalation]", "[escalations]"),
    "a field too many": TEXT.replace("[escalation]", "[escalation]\nless = 5"),
    "a label nobody knows": TEXT.replace('"spam"]', '"noise"]'),
    "a share of a hundred": TEXT.replace("first_try_least = 0.98", "first_try_least = 98"),
    "a number as text": TEXT.replace("most_new = 0", 'most_new = "0"'),
    "true for a number": TEXT.replace("most_new = 0", "most_new = true"),
    "no difference": TEXT.replace("lost = 0.125", "lost = 0.025"),
    "NaN": TEXT.replace("level = 0.05", "level = nan"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_policy_that_cannot_be_used_says_what_is_wrong(name: str) -> None:
    with pytest.raises(PolicyUnusable) as refused:
        parsed(BROKEN[name], labels=LABELS)
    assert str(refused.value).rstrip().endswith(".")


def seen(new: Mapping[int, Answer], old: Mapping[int, Answer] | None = None) -> list[str]:
    return [each.name for each in patterns.found(compared(new, old))]


def _label(label: str) -> list[int]:
    return [number for number in range(ROWS) if LABELS[number % 4] == label]


def test_each_pattern_is_named_where_it_is_there_and_not_where_it_is_not() -> None:
    assert seen({}) == []
    assert seen({0: right(0, got="spam")}) == ["New false passes"]
    assert seen({number: without(number, RunResult.FALLBACK) for number in (0, 1, 2)}) == ["Fallbacks up"]
    assert seen({0: without(0, RunResult.REFUSED)}) == ["Refusals up"]
    assert seen({0: without(0, RunResult.CUT_OFF)}) == ["Cut off"]
    docs = {number: right(number, got="question") for number in _label("docs")[:20]}
    assert seen(docs) == ["One label collapsing"]
    assert seen({number: right(number, needs_human=True) for number in range(6)}) == ["Escalation up"]
    other = (
        {number: wrong(number) for number in range(8)},
        {number: wrong(number) for number in range(8, 16)},
    )
    assert seen(*other) == ["Equal agreement on other rows"]
    assert seen({number: right(number, is_fenced=True) for number in range(6)}) == ["Fenced replies up"]
    slow = {number: right(number, spent=Spent(seconds=2.0)) for number in range(ROWS)}
    assert seen(slow) == ["Slower"]
    cheap, dear = (
        {number: right(number, spent=Spent(micros=cost)) for number in range(ROWS)} for cost in (2, 3)
    )
    assert seen(dear, cheap) == ["Dearer"]
    assert seen({0: without(0, RunResult.ENDPOINT_DOWN)}) == ["Down"]


def test_no_row_at_all_is_no_pattern_and_no_promotion() -> None:
    down = {number: without(number, RunResult.ENDPOINT_DOWN) for number in range(ROWS)}
    assert seen(down) == []
    assert decided(down)[0] is Outcome.TOO_FEW


def test_the_documentation_explains_each_pattern() -> None:
    page = (ROOT / "docs" / "reference" / "drill-patterns.md").read_text(encoding="utf-8")
    assert [kind.name for kind in patterns.KINDS if f"## {kind.name}\n" not in page] == []


def test_the_confusion_table_has_a_line_for_each_label_and_a_place_for_no_label() -> None:
    lines = list(telling.confusion(compared({1: without(1, RunResult.FALLBACK), 2: right(2, got="spam")})))
    assert lines[0].split()[-2:] == ["(no", "label)"]
    assert "spam" in lines[0]
    assert len(lines) == 5
    assert json.dumps(lines).count("0/1") == 2
