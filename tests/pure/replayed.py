"""Replays made of the shipped rules' own cases, for tests."""

from functools import cache

from tests.pure.shipped_rules import SHAPES, SHIPPED
from verdicts.cases import Example
from verdicts.frozen import Frozen
from verdicts.replay.accepted import accept
from verdicts.replay.file import Replay
from verdicts.rule import RuleSpec
from verdicts.rulebook import Rulebook

RULE = "transient_upstream_timeout"
AT = "2026-07-01T12:00:00Z"


@cache
def rulebook() -> Rulebook:
    """Return the shipped rules."""
    return Rulebook(rules={name: rule.spec for name, rule in SHIPPED.items()}, shapes=SHAPES)


@cache
def loaded(name: str = RULE) -> tuple[RuleSpec, tuple[Example, ...]]:
    """Return a shipped rule and its cases that hold no entry of another run."""
    rule = SHIPPED[name]
    return rule.spec, tuple(each for each in rule.examples if not _frozen(each).lacks)


def example(*, passes: bool, name: str = RULE) -> Example:
    """Return one of the rule's cases that passes, or that fails."""
    return next(each for each in loaded(name)[1] if each.passes is passes)


def a_replay(*, passes: bool, outcome: str, name: str = RULE) -> Replay:
    """Return a replay whose verdict of now is accepted, unless it is a false pass."""
    spec, _ = loaded(name)
    frozen = _frozen(example(passes=passes, name=name))
    bare = Replay(
        about="a case of the rule",
        frozen=frozen,
        outcome=outcome,
        tools={tool: SHAPES[tool] for tool in spec.tools},
        rulebook_digest=rulebook().digest,
        accepted=None,
    )
    if passes and bare.actual == "fail":
        return bare
    return bare.accepted_as(
        accept(bare.judged(rulebook()), bare.actual, by="Ada", at=AT, because="It is right.")
    )


def _frozen(each: Example) -> Frozen:
    return Frozen(each.subject, each.case, each.entries)
