"""The proof of monotony: taking away what a fact relies on never turns a fail into a pass.

A fact relies on every entry that answers its question: of two answers the newest decides, so that taking
away one alone would be another run. An entry that is taken away though the case lists it leaves no case
that could be judged.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from assay_core.arguments import ToolShape
from verdicts.case import Entry, Submission
from verdicts.cases import Example
from verdicts.outcomes import Verdict
from verdicts.prove.again import judge_again
from verdicts.prove.weakness import Proof, Weakness
from verdicts.rule import RuleSpec
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

#: Up to so many facts every combination is taken away; beyond, each one and each two.
_EXHAUSTIVE = 6


def less_evidence(
    rule: RuleSpec, examples: Sequence[Example], shapes: Mapping[str, ToolShape]
) -> tuple[int, tuple[Weakness, ...]]:
    """Return how many cases with less evidence were judged, and those that pass."""
    alone = Rulebook(rules={rule.name: rule}, shapes=shapes)
    judged = 0
    found = []
    for example in examples:
        for fact, words, decided in _lessened(example, alone):
            judged += 1
            if decided.passed:
                found.append(Weakness(Proof.MONOTONY, rule.name, fact, words, example.name))
    return judged, tuple(found)


def _lessened(example: Example, alone: Rulebook) -> Iterator[tuple[str, str, Verdict]]:
    """Yield (fact, what was taken away, verdict): none of these may be a pass."""
    whole = verdict(example.case, example.subject, example.entries, alone)
    relied = _relied(example, whole)
    for names in _some_of(tuple(relied)):
        gone = {number for name in names for number in relied[name]}
        kept: dict[int, Entry | None] = {
            number: entry for number, entry in example.entries.items() if number not in gone
        }
        words = f"without what answers {' and '.join(names)}"
        yield names[0], words, judge_again(example, kept, alone)
    for number in dict(example.case.entries):
        rest = {other: entry for other, entry in example.entries.items() if other != number}
        words = f"entry {number} is withheld from the case that lists it"
        yield "", words, verdict(example.case, example.subject, rest, alone)
    if not example.passes:
        yield from _fewer_findings(example, alone)


def _fewer_findings(example: Example, alone: Rulebook) -> Iterator[tuple[str, str, Verdict]]:
    findings = example.case.submission.findings
    for index, finding in enumerate(findings):
        fewer = (*findings[:index], *findings[index + 1 :])
        submission = Submission(example.case.submission.hypothesis, fewer, "")
        case = replace(example.case, submission=submission)
        words = f"without the finding that cites entry {finding.entry}"
        yield finding.fact, words, verdict(case, example.subject, example.entries, alone)


def _relied(example: Example, whole: Verdict) -> dict[str, frozenset[int]]:
    """Return, for each fact that found an answer, every entry that answers its question."""
    return {
        fact.name: frozenset(
            number
            for number, entry in example.entries.items()
            if entry.tool == fact.tool and entry.arguments == fact.demanded
        )
        for fact in whole.facts
        if fact.entry is not None
    }


def _some_of(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    most = len(names) if len(names) <= _EXHAUSTIVE else 2
    for size in range(1, most + 1):
        yield from combinations(names, size)
