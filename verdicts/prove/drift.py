"""The drift proof: whatever happens to a field that a fact read, or to its entry, must cost the pass.

For each earning case of a rule, each field that a fact or refutation read (and what holds it) is dropped,
nulled, renamed, retyped, emptied and set to NaN, and each deciding entry is marked, moved or taken away.
Where a fact reads cut answers, the lists of failing cases are cut. A mutant that passes is a survivor:
the rule reads carelessly there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from assay_core.arguments import ToolShape
from assay_core.results import Status
from verdicts.answer import Answer, shown
from verdicts.attempt import attempt
from verdicts.case import Entry, Subject
from verdicts.cases import Example
from verdicts.demand import same
from verdicts.fact import Check, Fact
from verdicts.prove.again import deciding, judge_again
from verdicts.prove.weakness import Proof, Weakness
from verdicts.rule import RuleSpec
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

Steps = tuple[str | int, ...]

_DROP = object()
_NAN = float("nan")


def drifting(
    rule: RuleSpec, examples: Sequence[Example], shapes: Mapping[str, ToolShape]
) -> tuple[int, tuple[Weakness, ...]]:
    """Return how many mutants of a rule's cases were judged, and those that pass."""
    alone = Rulebook(rules={rule.name: rule}, shapes=shapes)
    judged = 0
    survivors = []
    for example in examples:
        for name, mutant, entries in _spoiled(rule, example, alone):
            judged += 1
            if judge_again(example, entries, alone).passed:
                survivors.append(Weakness(Proof.DRIFT, rule.name, name, mutant, example.name))
    return judged, tuple(survivors)


def _spoiled(
    rule: RuleSpec, example: Example, alone: Rulebook
) -> Iterator[tuple[str, str, dict[int, Entry | None]]]:
    """Yield (fact, what was done, entries) for each mutant of a case."""
    whole = verdict(example.case, example.subject, example.entries, alone)
    # Only what decides is kept: an older good answer must not stand in for a newest one that drifted.
    kept = deciding(whole, example.entries)
    for fact in whole.facts:
        if fact.entry is None:
            continue
        of_one = _mutants if example.passes else _cut
        for words, changed in of_one(rule.facts[fact.name], kept[fact.entry], example.subject):
            yield fact.name, words, {**kept, fact.entry: changed}
    if example.passes:
        yield from _refuting(rule, example, kept)


def _refuting(
    rule: RuleSpec, example: Example, kept: Mapping[int, Entry]
) -> Iterator[tuple[str, str, dict[int, Entry | None]]]:
    """Yield what drifts under a refutation: silence because a field has gone is no silence."""
    for name, refutation in rule.refutations.items():
        for number, entry in example.entries.items():
            if entry.tool == refutation.tool and entry.investigation == example.case.investigation:
                for words, result in field_mutants(refutation.when, entry, example.subject):
                    if not words.endswith(" is emptied"):  # nothing there refutes nothing
                        yield name, words, {**kept, number: replace(entry, result=result)}


def _mutants(fact: Fact, entry: Entry, subject: Subject) -> Iterator[tuple[str, Entry | None]]:
    for words, result in field_mutants(fact.holds, entry, subject):
        yield words, replace(entry, result=result)
    yield from _question_mutants(entry)
    yield from _state_mutants(fact, entry, subject)


def _state_mutants(fact: Fact, entry: Entry, subject: Subject) -> Iterator[tuple[str, Entry | None]]:
    spared = {Status.OBSERVED, entry.status}
    if fact.accepts_empty:
        spared.add(Status.EMPTY)
    if fact.truncation_harmless_because:
        spared.add(Status.TRUNCATED)
    for status in Status:
        if status not in spared:
            yield f"the entry is marked {status}", replace(entry, status=status)
    early = subject.started_at - timedelta(seconds=1)
    yield "the entry is older than the incident", replace(entry, called_at=early, finished_at=early)
    yield "the entry was asked as the incident began", replace(entry, called_at=subject.started_at)
    yield "the entry belongs to another investigation", replace(entry, investigation=entry.investigation + 1)
    yield "the entry is missing", None
    if fact.covers:
        yield "the answer does not say which window it covered", replace(entry, covered=None)
        for edge in sorted({"until", *fact.covers.values()}):  # an end that nobody asked for is the call
            less = {other: kept for other, kept in (entry.covered or {}).items() if other != edge}
            yield f"the answer does not say {edge} when it covered", replace(entry, covered=less)


def _cut(fact: Fact, entry: Entry, subject: Subject) -> Iterator[tuple[str, Entry | None]]:
    """Yield a failing answer cut short, where a fact says that a cut answer may be read."""
    if not fact.truncation_harmless_because:
        return
    for steps, value in _nodes(entry.result, ()):
        for length in range(len(value)) if type(value) is list else ():
            result = _changed(entry.result, steps, value[:length])
            path = ".".join(map(str, steps))
            words = f"{path} is cut after {length} of {len(value)}"
            yield words, replace(entry, result=result, status=Status.TRUNCATED)


def _question_mutants(entry: Entry) -> Iterator[tuple[str, Entry]]:
    yield "another tool answered", replace(entry, tool=f"{entry.tool}_of_another")
    yield "one filter more was asked", replace(entry, arguments={**entry.arguments, "another_filter": "x"})
    for name, value in entry.arguments.items():
        less = {other: kept for other, kept in entry.arguments.items() if other != name}
        yield f"{name} was not asked", replace(entry, arguments=less)
        for other in (f"{value}-of-another", [value], None if value is not None else False):
            changed = {**entry.arguments, name: other}
            yield f"{name} was asked as {shown(other)}", replace(entry, arguments=changed)


def field_mutants(check: Check, entry: Entry, subject: Subject) -> Iterator[tuple[str, Any]]:
    """Yield (what was done, result) for each field that a check reads, and what holds that field."""
    answer = Answer(entry.result, told_at=entry.finished_at)
    attempt(check, answer, subject)
    read = {path for path, _ in answer.reads}
    asked = {*map(str, entry.arguments.values()), *subject.identifiers.values()}
    for steps, value in _nodes(entry.result, ()):
        path = ".".join(map(str, steps))
        if not any(each == path or each.startswith(f"{path}.") for each in read):
            continue
        if type(steps[-1]) is str:  # fewer items of a list may rightly be another answer
            yield f"{path} is dropped", _changed(entry.result, steps, _DROP)
            renamed = _changed(entry.result, (*steps[:-1], f"{steps[-1]}_renamed"), value)
            yield f"{path} is renamed", _changed(renamed, steps, _DROP)
        if type(value) is str and value in asked:
            yield f"{path} names another", _changed(entry.result, steps, f"{value}-of-another")
        for words, other in _others(value):
            if not same(other, value):
                yield f"{path} {words}", _changed(entry.result, steps, other)


def _others(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what may stand in a value's place when its source drifts."""
    yield "is null", None
    yield "is NaN", _NAN
    if isinstance(value, str | list | dict):
        yield "is emptied", type(value)()
    yield "stands in a list", [value]
    yield "stands in an object", {"value": value}
    if value is None or isinstance(value, bool | int | float):
        yield "is retyped to text", "null" if value is None else str(value).lower()
    if isinstance(value, bool):
        yield "is retyped to a number", int(value)
    elif isinstance(value, int):
        yield "is retyped to a flag", bool(value)
    elif isinstance(value, str):
        yield "is retyped to a number", len(value)
        yield "is retyped to a flag", True
    elif isinstance(value, list):
        yield "is retyped to an object", {str(index): item for index, item in enumerate(value)}
        yield "is retyped to a number", len(value)
    elif isinstance(value, dict):
        yield "is retyped to a list", list(value.values())


def _nodes(value: Any, steps: Steps) -> Iterator[tuple[Steps, Any]]:
    if steps:
        yield steps, value
    if type(value) is dict:
        for key, item in value.items():
            yield from _nodes(item, (*steps, key))
    elif type(value) is list:
        for index, item in enumerate(value):
            yield from _nodes(item, (*steps, index))


def _changed(node: Any, steps: Steps, other: Any) -> Any:
    """Return a copy of a result in which one place is another value, or gone."""
    step, rest = steps[0], steps[1:]
    if type(node) is list and type(step) is int:
        inner = _changed(node[step], rest, other) if rest else other
        return [*node[:step], inner, *node[step + 1 :]]
    copied = dict(node)
    if rest:
        copied[str(step)] = _changed(node[step], rest, other)
    elif other is _DROP:
        del copied[str(step)]
    else:
        copied[str(step)] = other
    return copied
