"""The shipped rules against their own cases, against drifting fields and against other topics."""

from dataclasses import replace

import pytest

from tests.pure.shipped_rules import FOLDER, SHAPES, passes
from verdicts.cases import Example
from verdicts.loading import load_rule, load_rulebook, rule_files
from verdicts.prove.drift import drifting
from verdicts.rule import RuleSpec

LOADED = [load_rule(path, SHAPES) for path in rule_files(FOLDER)]
EARNED = [
    pytest.param(loaded.spec, example, id=f"{loaded.spec.name}: {example.name}")
    for loaded in LOADED
    for example in loaded.examples
    if example.passes
]
TOPICS = ("delivery", "refund", "charge", "email", "account", "other", "", "Refund", "refund ")


def test_every_shipped_rule_is_loaded_and_none_is_broken() -> None:
    rulebook = load_rulebook([FOLDER], SHAPES)
    assert rulebook.broken == {}
    assert len(rulebook.rules) >= 8


@pytest.mark.parametrize("loaded", LOADED, ids=lambda loaded: loaded.spec.name)
def test_no_field_that_drifts_keeps_a_pass(loaded: object) -> None:
    judged, survivors = drifting(loaded.spec, loaded.examples, SHAPES)  # type: ignore[attr-defined]
    assert survivors == ()
    assert judged > 50


@pytest.mark.parametrize(("rule", "example"), EARNED)
def test_a_pass_is_not_carried_to_another_topic_or_kind(rule: RuleSpec, example: Example) -> None:
    label, accepted = next(iter(rule.applies_to.items()))
    for topic in (*TOPICS, "Watchdogs", "JobFailed ", "HeartbeatMissed"):
        if topic not in accepted:
            labels = {**example.subject.labels, label: topic}
            assert not passes(rule, example, replace(example.subject, labels=labels)), topic
    without = {name: value for name, value in example.subject.labels.items() if name != label}
    assert not passes(rule, example, replace(example.subject, labels=without))
    other = "claim" if example.subject.kind == "alert" else "alert"
    assert not passes(rule, example, replace(example.subject, kind=other))


@pytest.mark.parametrize(("rule", "example"), EARNED)
def test_no_pass_without_what_the_rule_needs(rule: RuleSpec, example: Example) -> None:
    for name in rule.needs:
        kept = {key: value for key, value in example.subject.identifiers.items() if key != name}
        assert not passes(rule, example, replace(example.subject, identifiers=kept)), name
        other = {**example.subject.identifiers, name: "something else"}
        assert not passes(rule, example, replace(example.subject, identifiers=other)), name


@pytest.mark.parametrize("loaded", LOADED, ids=lambda loaded: loaded.spec.name)
def test_every_fact_and_rule_says_in_words_what_it_means(loaded: object) -> None:
    spec: RuleSpec = loaded.spec  # type: ignore[attr-defined]
    assert spec.sentence.endswith(".")
    assert spec.draft_pass.endswith(".")
    assert spec.applies_to
    for name, fact in spec.facts.items():
        assert len(fact.sentence) > 20, name
