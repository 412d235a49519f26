"""What must be so for every run, however strange: same in, same out; less evidence never raises a verdict."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assay_core.canonical import canonical
from assay_core.results import Status
from tests.pure.rules_for_tests._world import (
    BEGAN,
    JOB_ENTRY,
    LOG_ENTRY,
    RULEBOOK,
    RUN,
    SUBJECT,
    case_of,
    judge,
    submitted,
)
from verdicts.case import Case, Entry, Finding, Subject
from verdicts.demand import json_ready, same
from verdicts.outcomes import Outcome
from verdicts.verdict import verdict

SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, -0.0, "", "0", "completed", "2026-07-01T10:12:00Z"])
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["job", "state"]), inner, max_size=2)
    ),
    max_leaves=4,
)


WRONG_RESULTS: list[Any] = [
    None,
    [],
    {"job": {"state": "failed", "finished_at": "2026-07-01T10:12:00Z"}},
    {"job": {"state": ["completed"], "finished_at": "2026-07-01T10:12:00Z"}},
    {"lines_scanned": 0, "match_count": 0},
    {"lines_scanned": True, "match_count": False},
]


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    """An entry near the good ones: each of its fields is either right or one of a few wrong ones."""
    like = draw(st.sampled_from([JOB_ENTRY, LOG_ENTRY]))
    called_at = BEGAN + timedelta(minutes=draw(st.sampled_from([-1, 0, 10, 20, 20, 20, 30])))
    number = draw(st.integers(1, 30))
    return replace(
        like,
        id=number,
        leaf=f"{number:064x}",
        investigation=draw(st.sampled_from([RUN, RUN, RUN, RUN + 1])),
        arguments=draw(st.sampled_from([like.arguments, like.arguments, {}, {**like.arguments, "x": 1}])),
        status=draw(st.sampled_from([Status.OBSERVED, Status.OBSERVED, *Status])),
        result=draw(st.sampled_from([like.result, like.result, *WRONG_RESULTS])),
        called_at=called_at,
        finished_at=called_at,
    )


@st.composite
def runs(draw: st.DrawFn) -> dict[int, Entry]:
    """A run of a few such entries, in any order."""
    return {entry.id: entry for entry in draw(st.lists(entries(), max_size=4))}


def passes(run: dict[int, Entry]) -> bool:
    return judge(*run.values()).passed


def oracle(run: dict[int, Entry]) -> bool:
    """Say by the plainest reading of the rule whether a run may pass."""
    for like in (JOB_ENTRY, LOG_ENTRY):
        asked = [
            entry
            for entry in run.values()
            if entry.investigation == RUN
            and entry.tool == like.tool
            and canonical(dict(entry.arguments)) == canonical(dict(like.arguments))
        ]
        if not asked:
            return False
        last = max(entry.called_at for entry in asked)
        for entry in asked:
            if entry.called_at != last and entry.id != max(each.id for each in asked):
                continue
            if entry.status is not Status.OBSERVED or not BEGAN < entry.called_at <= BEGAN + timedelta(
                minutes=21
            ):
                return False
            if canonical(entry.result) != canonical(like.result):
                return False
    return True


@given(runs())
def test_a_run_passes_exactly_if_the_last_answer_to_each_right_question_is_good(
    run: dict[int, Entry],
) -> None:
    assert passes(run) is oracle(run)


@given(runs(), st.randoms(use_true_random=False))
def test_equal_arguments_give_an_equal_verdict_whatever_the_order(run: dict[int, Entry], chance: Any) -> None:
    given_order = list(run.values())
    shuffled = list(given_order)
    chance.shuffle(shuffled)
    case = case_of(given_order, submission=submitted(("job_completed", 1), ("no_recurrence", 2)))
    first = verdict(case, SUBJECT, {entry.id: entry for entry in given_order}, RULEBOOK)
    again = verdict(case, SUBJECT, {entry.id: entry for entry in shuffled}, RULEBOOK)
    assert first == again
    stored = json.loads(
        json.dumps([case.to_plain(), SUBJECT.to_plain(), [each.to_plain() for each in given_order]])
    )
    read = {entry.id: entry for entry in map(Entry.from_plain, stored[2])}
    assert verdict(Case.from_plain(stored[0]), Subject.from_plain(stored[1]), read, RULEBOOK) == first


@given(runs(), st.data())
def test_taking_an_entry_out_of_a_listed_run_never_passes(run: dict[int, Entry], data: st.DataObject) -> None:
    own = [number for number, entry in run.items() if entry.investigation == RUN]
    if not own:
        return
    gone = data.draw(st.sampled_from(own))
    rest = {number: entry for number, entry in run.items() if number != gone}
    assert not verdict(case_of(run.values()), SUBJECT, rest, RULEBOOK).passed


@given(runs(), st.data())
def test_taking_away_the_entry_that_a_fact_relies_on_never_turns_a_fail_into_a_pass(
    run: dict[int, Entry], data: st.DataObject
) -> None:
    decided = judge(*run.values())
    relied = [
        fact.entry for fact in decided.facts if fact.outcome is Outcome.HOLDS and fact.entry is not None
    ]
    if decided.passed or not relied:
        return
    gone = data.draw(st.sampled_from(relied))
    assert not passes({number: entry for number, entry in run.items() if number != gone})


FINDINGS = st.lists(
    st.builds(
        Finding,
        fact=st.sampled_from(["job_completed", "no_recurrence", "x"]),
        entry=st.integers(-1, 30),
        note=st.text(max_size=5),
        author=st.sampled_from(["model", "rule", "person"]),
    ),
    max_size=4,
).map(tuple)


@given(runs(), FINDINGS, FINDINGS, FINDINGS)
def test_findings_never_raise_a_verdict_and_refutations_only_lower_it(
    run: dict[int, Entry],
    findings: tuple[Finding, ...],
    added: tuple[Finding, ...],
    refutations: tuple[Finding, ...],
) -> None:
    submission = replace(submitted(), findings=findings)
    decided = judge(*run.values(), submission=submission, added=added)
    assert decided.passed is passes(run)
    assert len(decided.citations) == len(findings) + len(added)
    lowered = judge(*run.values(), submission=submission, added=added, refutations=refutations)
    assert decided.passed or not lowered.passed
    assert lowered.passed is (decided.passed and all(each.author != "person" for each in refutations))


@given(JSON, JSON)
def test_two_arguments_are_the_same_exactly_if_their_canonical_texts_are(one: Any, other: Any) -> None:
    assert same(one, other) is (canonical(one) == canonical(other))
    assert canonical(json_ready(one)) == canonical(one)
    assert same(json_ready(one), json.loads(canonical(one)))
