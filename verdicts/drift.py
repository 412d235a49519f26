"""The drift proof: whatever happens to a field that a fact read, or to its entry, must cost the pass.

For each earning case of a rule, each field that a fact read (and what holds it) is dropped, nulled,
renamed, retyped, emptied and set to NaN, and each deciding entry is marked, moved or taken away. A
mutant that still passes is a survivor: the rule reads carelessly there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from assay_core.arguments import ToolShape
from assay_core.results import Status
from verdicts.answer import Answer, shown
from verdicts.attempt import attempt
from verdicts.case import Case, Entry, Subject
from verdicts.cases import Example
from verdicts.demand import same
from verdicts.fact import Fact
from verdicts.rule import RuleSpec
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

Steps = tuple[str | int, ...]

_DROP = object()
_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that still passes: in which case, for which fact, and what was done."""

    rule: str
    case: str
    fact: str
    mutant: str


@dataclass(frozen=True, slots=True)
class DriftReport:
    """How many mutants of a rule were judged, and which of them passed."""

    rule: str
    mutants: int
    survivors: tuple[Survivor, ...]


def prove_drift(rule: RuleSpec, examples: Sequence[Example], shapes: Mapping[str, ToolShape]) -> DriftReport:
    """Judge every mutant of the earning cases of a rule. Raises nothing for what a rule does."""
    alone = Rulebook(rules={rule.name: rule}, shapes=shapes)
    judged = 0
    survivors = []
    for example in examples:
        if not example.passes:
            continue
        case, entries, deciding = _bare(example, alone)
        for name, number in deciding:
            for mutant, changed in _mutants(rule.facts[name], entries[number], example.subject):
                judged += 1
                if _passes(case, example.subject, {**entries, number: changed}, alone):
                    survivors.append(Survivor(rule.name, example.name, name, mutant))
    return DriftReport(rule.name, judged, tuple(survivors))


def _bare(example: Example, alone: Rulebook) -> tuple[Case, dict[int, Entry], list[tuple[str, int]]]:
    """Reduce a case to the entries that decide: an older good answer must not stand in for a newest one."""
    whole = verdict(example.case, example.subject, example.entries, alone)
    deciding = [(fact.name, fact.entry) for fact in whole.facts if fact.entry is not None]
    kept = {number: example.entries[number] for _, number in deciding}
    return example.case, kept, deciding


def _passes(case: Case, subject: Subject, entries: Mapping[int, Entry | None], alone: Rulebook) -> bool:
    present = {number: entry for number, entry in entries.items() if entry is not None}
    listed = tuple(
        (number, entry.leaf) for number, entry in present.items() if entry.investigation == case.investigation
    )
    return verdict(replace(case, entries=listed), subject, present, alone).passed


def _mutants(fact: Fact, entry: Entry, subject: Subject) -> Iterator[tuple[str, Entry | None]]:
    for words, result in _field_mutants(fact, entry, subject):
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


def _question_mutants(entry: Entry) -> Iterator[tuple[str, Entry]]:
    yield "another tool answered", replace(entry, tool=f"{entry.tool}_of_another")
    yield "one filter more was asked", replace(entry, arguments={**entry.arguments, "another_filter": "x"})
    for name, value in entry.arguments.items():
        less = {other: kept for other, kept in entry.arguments.items() if other != name}
        yield f"{name} was not asked", replace(entry, arguments=less)
        for other in (f"{value}-of-another", [value], None if value is not None else False):
            changed = {**entry.arguments, name: other}
            yield f"{name} was asked as {shown(other)}", replace(entry, arguments=changed)


def _field_mutants(fact: Fact, entry: Entry, subject: Subject) -> Iterator[tuple[str, Any]]:
    answer = Answer(entry.result)
    attempt(fact.holds, answer, subject)
    read = {path for path, _ in answer.reads}
    for steps, value in _nodes(entry.result, ()):
        path = ".".join(map(str, steps))
        if not any(each == path or each.startswith(f"{path}.") for each in read):
            continue
        if type(steps[-1]) is str:  # fewer items of a list may rightly be another answer
            yield f"{path} is dropped", _changed(entry.result, steps, _DROP)
            renamed = _changed(entry.result, (*steps[:-1], f"{steps[-1]}_renamed"), value)
            yield f"{path} is renamed", _changed(renamed, steps, _DROP)
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
