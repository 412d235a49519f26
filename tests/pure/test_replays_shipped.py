"""The replays in this repository: what they show, and that each deciding check is held by one of them."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.pure.shipped_rules import ROOT
from verdicts.closings import Actual
from verdicts.comparison import Ending
from verdicts.fact import Fact
from verdicts.outcomes import Outcome, Verdict
from verdicts.replay.file import Replay
from verdicts.replay.folder import SHIPPED, Rulebooks, known_tools, read_replay, replay_files
from verdicts.replay.judging import judge
from verdicts.rulebook import Rulebook

FOLDER = ROOT / "replays"
BOOK = Rulebooks([SHIPPED], known_tools([FOLDER])).base
REPLAYS = {path.stem: read_replay(path) for path in replay_files([FOLDER])}
VERDICTS = {name: each.judged(BOOK) for name, each in REPLAYS.items()}
DECIDED = sorted(name for name, verdict in VERDICTS.items() if verdict.deciding)
EARNED = sorted(name for name, verdict in VERDICTS.items() if verdict.passed)


def changed(name: str, facts: Mapping[str, Fact]) -> Rulebook:
    """Return the rules with other facts in the one that judges this replay."""
    hypothesis = VERDICTS[name].hypothesis
    return replace(BOOK, rules={**BOOK.rules, hypothesis: replace(BOOK.rules[hypothesis], facts=facts)})


def facts_of(name: str) -> dict[str, Fact]:
    return dict(BOOK.rules[VERDICTS[name].hypothesis].facts)


def without_the_deciding_check(name: str) -> Rulebook:
    """Let the deciding check be content with whatever it reads; drop it where nothing could be read."""
    facts, verdict = facts_of(name), VERDICTS[name]
    fact = facts.pop(verdict.deciding)
    if outcome_of(verdict) is Outcome.FAILS:
        check = fact.holds
        facts[verdict.deciding] = replace(fact, holds=lambda answer, subject: check(answer, subject) or True)
    return changed(name, facts)


def outcome_of(verdict: Verdict) -> Outcome:
    return next(fact.outcome for fact in verdict.facts if fact.name == verdict.deciding)


@pytest.mark.parametrize("name", DECIDED)
def test_weakening_the_deciding_check_turns_the_replay_red(name: str) -> None:
    done = judge(REPLAYS[name], without_the_deciding_check(name))
    assert not done.is_green
    others = [fact for fact in VERDICTS[name].facts if fact.outcome is not Outcome.HOLDS]
    if len(others) == 1 and REPLAYS[name].actual is Actual.FAIL:
        assert done.ending is Ending.FALSE_PASS


@pytest.mark.parametrize("name", EARNED)
def test_a_check_that_no_longer_holds_turns_the_replay_red(name: str) -> None:
    for fact in VERDICTS[name].facts:
        facts = facts_of(name)
        facts[fact.name] = replace(facts[fact.name], holds=lambda answer, subject: False)
        assert judge(REPLAYS[name], changed(name, facts)).ending is Ending.FALSE_FAIL


def test_there_are_passes_and_fails_of_many_rules() -> None:
    assert len(REPLAYS) >= 12
    assert len({REPLAYS[name].frozen.case.submission.hypothesis for name in DECIDED}) >= 5
    assert len(EARNED) >= 5
    assert {Actual.PASS, Actual.FAIL, Actual.NOT_COMPARABLE} == {each.actual for each in REPLAYS.values()}


def test_at_least_three_were_false_passes_of_a_verdict_by_prompt_alone() -> None:
    wrong = [name for name, each in REPLAYS.items() if each.prompt_only and each.prompt_only.passed]
    assert len([name for name in wrong if REPLAYS[name].actual is Actual.FAIL]) >= 3
    for name in wrong:
        said: Replay = REPLAYS[name]
        assert said.prompt_only is not None
        assert said.prompt_only.said
        assert said.prompt_only.by
        assert not VERDICTS[name].passed


def test_no_address_of_a_person_stands_in_any_of_them() -> None:
    for path in replay_files([FOLDER]):
        text = path.read_text()
        assert "@" not in text, path
        assert text == read_replay(path).text()
