"""A rubric improves a draft, or says in words that nobody confirmed it."""

from typing import Any

import pytest

from investigations import rubric
from investigations.rubric import (
    Evaluation,
    Graded,
    Grading,
    GradingFailed,
    Hands,
    Judged,
    RevisionFailed,
    Rubric,
    RubricRefused,
    feedback,
    grading_of,
    improve,
    reading,
    schema,
)
from investigations.states import RubricResult
from toolbox import schemas

TWO = reading("Says since when\nNames one entry at least")
assert TWO is not None


def graded(met: str, **said: Any) -> Grading:
    """`+-` is a grading by which the first criterion is met and the second is not."""
    assert TWO is not None
    return Grading(
        tuple(
            Judged(each.id, each.text, mark == "+", "" if mark == "+" else "It does not.")
            for each, mark in zip(TWO.criteria, met, strict=True)
        ),
        **said,
    )


class Script:
    """A grader and a reviser that go through a script and note what they were given."""

    def __init__(self, *gradings: Grading | Exception, revision: Exception | None = None) -> None:
        self.gradings, self.revision = list(gradings), revision
        self.drafts: list[str] = []
        self.feedback: list[str] = []
        self.told: list[Any] = []

    def __call__(self, draft: str, rubric: Rubric, /) -> Grading:
        self.drafts.append(draft)
        grading = self.gradings.pop(0)
        if isinstance(grading, Exception):
            raise grading
        return grading

    def revise(self, draft: str, words: str) -> str:
        self.feedback.append(words)
        if self.revision:
            raise self.revision
        return f"{draft}'"

    @property
    def hands(self) -> Hands:
        return Hands(
            self,
            self.revise,
            lambda number: self.told.append(number),
            lambda each: self.told.append(each.result),
        )


def ran(script: Script, **options: Any) -> Graded:
    result = improve("d", TWO, hands=script.hands, **options)
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([{"id": "c1", "passed": True}], "each criterion once"),
        ([{"id": "c1", "passed": True}, {"id": "c1", "passed": True}], "each criterion once"),
        ([{"id": "c1", "passed": True}, {"id": "c2", "passed": False, "gap": " "}], "names no gap"),
        ([{"id": "c1", "passed": True, "gap": "x"}, {"id": "c2", "passed": True}], "names a gap"),
    ],
)
def test_an_answer_that_leaves_a_criterion_open_is_no_grading(value: Any, said: str) -> None:
    assert TWO is not None
    with pytest.raises(GradingFailed, match=said):
        grading_of({"criteria": value}, TWO)


def test_a_grader_that_fails_leaves_the_draft_unconfirmed() -> None:
    result = ran(Script(GradingFailed("The endpoint is down.")))
    assert (result.result, result.draft) == (RubricResult.GRADER_ERROR, "d")
    assert result.evaluations[0].grading.explanation == "The endpoint is down."


def test_a_grading_of_other_criteria_is_an_error_and_no_pass() -> None:
    strange = Grading((Judged("c1", "Says since when", True), Judged("c9", "Looks nice", True)))
    assert ran(Script(strange)).result is RubricResult.GRADER_ERROR


def test_a_rubric_that_no_draft_can_answer_ends_failed_without_another_try() -> None:
    script = Script(graded("--", cannot=True))
    assert ran(script).result is RubricResult.FAILED
    assert script.feedback == []


def test_gaps_come_back_until_the_last_iteration_is_used_up() -> None:
    script = Script(*[graded("+-")] * 9)
    result = ran(script)
    assert result.result is RubricResult.MAX_ITERATIONS_REACHED
    assert script.drafts == ["d", "d'", "d''"]
    assert result.draft == "d''"


@pytest.mark.parametrize(("asked", "made"), [(-1, 1), (1, 1), (20, 20), (500, 20)])
def test_no_setting_grades_more_often_than_the_cap(asked: int, made: int) -> None:
    script = Script(*[graded("-+")] * 500)
    ran(script, iterations=asked)
    assert len(script.drafts) == made


def test_a_draft_that_can_not_be_written_again_stays_and_says_so() -> None:
    result = ran(Script(graded("-+"), revision=RevisionFailed("The budget is spent.")))
    assert (result.result, result.draft) == (RubricResult.NEEDS_REVISION, "d")
    assert result.note == "The budget is spent."


def test_a_met_rubric_ends_it() -> None:
    script = Script(graded("-+"), graded("++"))
    result = ran(script)
    assert (result.result, result.draft) == (RubricResult.SATISFIED, "d'")
    assert script.told == [0, RubricResult.NEEDS_REVISION, 1, RubricResult.SATISFIED]


def test_without_a_rubric_nothing_is_graded() -> None:
    script = Script()
    assert improve("d", reading(" \n\n"), hands=script.hands) is None
    assert script.drafts == []


def test_an_interrupted_grading_goes_on_after_its_last_evaluation() -> None:
    script = Script(graded("++"))
    before = Evaluation(0, RubricResult.NEEDS_REVISION, "kept", graded("-+"))
    result = ran(script, earlier=[before])
    assert script.drafts == ["kept'"]
    assert [each.iteration for each in result.evaluations] == [0, 1]
    done = Evaluation(0, RubricResult.SATISFIED, "kept", graded("++"))
    again = Script()
    assert ran(again, earlier=[done]).draft == "kept"
    assert again.drafts == []


def test_feedback_names_each_gap_and_what_is_met() -> None:
    words = feedback(graded("-+"))
    assert "- Says since when\n  Gap: It does not." in words
    assert words.endswith("keep them so:\n- Names one entry at least")
    assert len(feedback(Grading((Judged("c1", "x", False, "g" * 9_000),)))) < 1_000


def test_a_grader_is_asked_for_our_ids_and_no_others() -> None:
    assert TWO is not None
    wanted = schema(TWO)
    good = [{"id": "c1", "passed": True}, {"id": "c2", "passed": False, "gap": "g"}]
    assert not schemas.complaint({"criteria": good}, wanted)
    for bad in (
        good[:1],
        [*good, good[0]],
        [good[0], {"id": "c3", "passed": True}],
        [good[0], {"id": "c2", "passed": False}],
    ):
        assert schemas.complaint({"criteria": bad}, wanted), bad


@pytest.mark.parametrize("text", ["x" * 501, "\n".join(map(str, range(31))), "a\0b", "\ud800"])
def test_a_rubric_that_can_not_be_kept_is_refused(text: str) -> None:
    with pytest.raises(RubricRefused):
        reading(text)


def test_a_rubric_is_read_line_by_line_and_its_ids_are_ours() -> None:
    read = reading("- One\n\n  Two \nOne\n")
    assert read is not None
    assert [(each.id, each.text) for each in read.criteria] == [("c1", "One"), ("c2", "Two")]
    assert read.digest == rubric.reading("One\nTwo").digest  # type: ignore[union-attr]  # it has two lines
