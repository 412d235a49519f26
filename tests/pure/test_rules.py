"""The shipped rules against their own cases and against other topics (tests/flow runs every proof)."""

from dataclasses import replace
from typing import Any

from tests.pure.shipped_rules import FOLDER, SHAPES, SHIPPED, passes
from verdicts.cases import Example
from verdicts.loading import load_rulebook
from verdicts.rule import RuleSpec

EARNED = [
    (loaded.spec, example) for loaded in SHIPPED.values() for example in loaded.examples if example.passes
]
TOPICS = ("delivery", "refund", "charge", "email", "account", "other", "", "Refund", "refund ")


def test_every_shipped_rule_is_loaded_and_none_is_broken() -> None:
    rulebook = load_rulebook([FOLDER], SHAPES)
    assert rulebook.broken == {}
    assert len(rulebook.rules) >= 13
    for rule, loaded in SHIPPED.items():
        assert len(loaded.examples) >= 15, rule


def test_a_pass_is_not_carried_to_another_topic_or_kind() -> None:
    for rule, example in EARNED:
        label, accepted = next(iter(rule.applies_to.items()))
        for topic in (*TOPICS, "Watchdogs", "JobFailed ", "HeartbeatMissed"):
            if topic not in accepted:
                labels = {**example.subject.labels, label: topic}
                _fails(rule, example, labels=labels)
        without = {name: value for name, value in example.subject.labels.items() if name != label}
        _fails(rule, example, labels=without)
        _fails(rule, example, kind="claim" if example.subject.kind == "alert" else "alert")


def test_no_pass_without_what_the_rule_needs() -> None:
    for rule, example in EARNED:
        for name in rule.needs:
            identifiers = example.subject.identifiers
            _fails(rule, example, identifiers={key: identifiers[key] for key in identifiers if key != name})
            _fails(rule, example, identifiers={**identifiers, name: "something else"})


def test_every_fact_and_rule_says_in_words_what_it_means() -> None:
    for loaded in SHIPPED.values():
        spec = loaded.spec
        assert spec.sentence.endswith("."), spec.name
        assert spec.draft_pass.endswith("."), spec.name
        assert spec.applies_to, spec.name
        for name, fact in spec.facts.items():
            assert len(fact.sentence) > 20, (spec.name, name)


def _fails(rule: RuleSpec, example: Example, **changes: Any) -> None:
    subject = replace(example.subject, **changes)
    assert not passes(rule, example, subject), (rule.name, example.name, changes)
