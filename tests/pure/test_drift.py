"""The drift proof finds what a careless rule would let pass, and finds nothing in a careful one."""

from dataclasses import replace

import pytest

from tests.pure.rules_for_tests._world import CARELESS, JOB_ENTRY, RETRY_FINISHED, SHAPES, SUBJECT, job_fact
from verdicts.loading import load_rule
from verdicts.prove.drift import drifting, field_mutants


def test_no_mutant_of_a_careful_rule_passes() -> None:
    judged, survivors = drifting(RETRY_FINISHED.spec, RETRY_FINISHED.examples, SHAPES)
    assert survivors == ()
    assert judged > 150


@pytest.mark.parametrize(
    ("name", "fact", "mutants"),
    [
        ("empty_list_is_fine", "all_completed", {"runs is emptied"}),
        ("not_in_a_list", "none_failed", {"runs is emptied", "runs.0.state is emptied"}),
        (
            "only_not_null",
            "has_ended",
            {
                "ended_at is NaN",
                "ended_at is emptied",
                "ended_at stands in a list",
                "ended_at stands in an object",
                "ended_at is retyped to a number",
                "ended_at is retyped to a flag",
            },
        ),
    ],
)
def test_each_carelessness_is_found_by_name(name: str, fact: str, mutants: set[str]) -> None:
    loaded = load_rule(CARELESS / f"{name}.py", SHAPES)
    _, survivors = drifting(loaded.spec, loaded.examples, SHAPES)
    assert {each.mutant for each in survivors} == mutants
    assert {each.fact for each in survivors} == {fact}
    assert {each.case for each in survivors} == {"passes 1", "passes 2"}


def test_an_older_good_answer_does_not_stand_in_for_a_newest_that_drifted() -> None:
    careless = load_rule(CARELESS / "only_not_null.py", SHAPES)
    example = careless.examples[0]
    older = replace(
        example.entries[1], id=2, leaf="x", called_at=SUBJECT.received_at, finished_at=SUBJECT.received_at
    )
    doubled = replace(
        example,
        entries={**example.entries, 2: older},
        case=replace(example.case, entries=(*example.case.entries, (2, "x"))),
    )
    assert drifting(careless.spec, [doubled], SHAPES)[0] > 0


def test_only_fields_that_the_fact_read_and_what_holds_them_are_mutated() -> None:
    mutants = [words for words, _ in field_mutants(job_fact().holds, JOB_ENTRY, SUBJECT)]
    assert {words.split(" ")[0] for words in mutants} == {"job", "job.state"}
    assert len(mutants) == len(set(mutants))


def test_a_mutant_is_a_copy_and_leaves_the_case_as_it_was() -> None:
    before = JOB_ENTRY.to_plain()
    for _, result in field_mutants(job_fact().holds, JOB_ENTRY, SUBJECT):
        assert result != JOB_ENTRY.result
    assert JOB_ENTRY.to_plain() == before
