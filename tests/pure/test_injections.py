"""Words decide nothing: put wherever words stand, strings that try to leave every verdict as it was."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from tests.pure.shipped_rules import ALONE, SHIPPED
from verdicts.answer import Answer, FieldMismatch, FieldMissing
from verdicts.case import Case, Entry, Finding, Subject
from verdicts.cases import Example
from verdicts.outcomes import Effect, Verdict
from verdicts.rule import RuleSpec
from verdicts.verdict import verdict

FULL = os.environ.get("FULL") == "1"
LINES = Path(__file__).with_name("injections.jsonl").read_text(encoding="utf-8").splitlines()
STRINGS: dict[str, str] = {one["id"]: one["text"] for one in map(json.loads, LINES)}
EXAMPLES = [(loaded.spec, example) for loaded in SHIPPED.values() for example in loaded.examples]


def _reads(spec: RuleSpec, entry: Entry, subject: Subject) -> set[str]:
    """Return the paths that the rule's checks read of an entry, or try to."""
    found: set[str] = set()
    checks = [fact.holds for fact in spec.facts.values() if fact.tool == entry.tool]
    for check in (*checks, *(each.when for each in spec.refutations.values() if each.tool == entry.tool)):
        answer = Answer(entry.result)
        try:
            check(answer, subject)
        except (FieldMissing, FieldMismatch) as error:
            found.add(error.path)
        found |= {path for path, _ in answer.reads}
    return found


READS = {
    (spec.name, example.name, number): _reads(spec, entry, example.subject)
    for spec, example in EXAMPLES
    for number, entry in example.entries.items()
}


def _with_words(value: Any, words: str, reads: set[str], path: str = "") -> Any:
    """Put words in place of each text that no check reads, and beside the fields of each object."""
    if isinstance(value, dict):
        changed = {
            name: _with_words(each, words, reads, f"{path}.{name}" if path else name)
            for name, each in value.items()
        }
        return {**changed, "free_text": words, "verdict": words, "instructions": [words]}
    if isinstance(value, list):
        return [_with_words(each, words, reads, f"{path}.{index}") for index, each in enumerate(value)]
    return words if isinstance(value, str) and path not in reads else value


def _subject(subject: Subject, words: str) -> Subject:
    return replace(
        subject,
        title=words,
        severity=words,
        source=words,
        annotations={**subject.annotations, "summary": words, "description": words, words: words},
        labels={**subject.labels, "note": words},
        identifiers={**subject.identifiers, "note": words},
    )


def _case(case: Case, spec: RuleSpec, words: str) -> Case:
    """Add findings, whole and made up, by each author but a person; and words to those that are there."""
    entry = case.entries[0][0] if case.entries else 1
    loud = [replace(each, note=words) for each in case.submission.findings]
    loud += [Finding(fact, entry, words, "model") for fact in (*spec.facts, words)]
    loud += [Finding(words, number, words, "external") for number in (0, 4711)]
    return replace(
        case,
        submission=replace(case.submission, findings=tuple(loud), draft=words, proposed_hypothesis=words),
        added=(*case.added, Finding(words, entry, words, "rule")),
        refutations=(*case.refutations, Finding(words, entry, words, "model")),
    )


def _entries(spec: RuleSpec, example: Example, words: str) -> dict[int, Entry]:
    return {
        number: replace(
            entry,
            reason=words,
            result=_with_words(entry.result, words, READS[spec.name, example.name, number]),
            covered=None if entry.covered is None else {**entry.covered, "note": words},
        )
        for number, entry in example.entries.items()
    }


def _decided(ended: Verdict) -> tuple[object, ...]:
    facts = [(each.name, each.outcome, each.entry, each.demanded) for each in ended.facts]
    fired = [each for each in ended.refutations if each.outcome is not Effect.SILENT]
    return ended.passed, ended.deciding, ended.rule_version, facts, fired, ended.rulebook_digest


BEFORE = {
    (spec.name, example.name): _decided(
        verdict(example.case, example.subject, example.entries, ALONE[spec.name])
    )
    for spec, example in EXAMPLES
}


def _differences(words: str, place: int) -> Iterator[tuple[str, str]]:
    """Judge every case in the full run, else every ninth, each string another: all cases have some."""
    for spec, example in EXAMPLES if FULL else EXAMPLES[place % 9 :: 9]:
        after = verdict(
            _case(example.case, spec, words),
            _subject(example.subject, words),
            _entries(spec, example, words),
            ALONE[spec.name],
        )
        if _decided(after) != BEFORE[spec.name, example.name]:
            yield spec.name, example.name


def test_words_in_every_place_change_no_verdict_and_no_fact() -> None:
    found = {name: list(_differences(words, place)) for place, (name, words) in enumerate(STRINGS.items())}
    assert {name: cases for name, cases in found.items() if cases} == {}


def test_words_stand_where_a_check_would_see_them() -> None:
    """The comparison above can fail: the same words in place of a text that is read are noticed."""
    spec, example = next((spec, one) for spec, one in EXAMPLES if spec.name == "queue_drained" and one.passes)
    spoilt = {
        number: replace(entry, result=_with_words(entry.result, "words", set()))
        for number, entry in example.entries.items()
    }
    ended = verdict(example.case, example.subject, spoilt, ALONE[spec.name])
    assert _decided(ended) != BEFORE[spec.name, example.name]
    unread = _with_words({"a": "text", "b": ["text", {"c": "text"}]}, "words", {"b.1.c"})
    assert (unread["a"], unread["b"][0], unread["b"][1]["c"]) == ("words", "words", "text")


def test_every_earning_and_failing_case_of_every_rule_is_among_them() -> None:
    assert len(STRINGS) == 64
    assert len(EXAMPLES) > 380
    assert {spec.name for spec, _ in EXAMPLES} == set(SHIPPED)
    ended = [decided[0] for decided in BEFORE.values()]
    assert ended.count(True) > 32
    assert ended.count(False) > 300


def test_a_text_that_is_read_earns_nothing_by_what_it_says() -> None:
    """In place of each text of a result, words turn no fail into a pass (in turn; the full run puts all)."""
    words = ("ok", STRINGS["own-02-fact-outcome"], STRINGS["own-12-empty-word"])
    turn = count()
    for spec, example in EXAMPLES:
        if example.passes:
            continue
        for number, entry in example.entries.items():
            for path in _texts(entry.result):
                for each in words if FULL else (words[next(turn) % len(words)],):
                    changed = {
                        **example.entries,
                        number: replace(entry, result=_put(entry.result, path, each)),
                    }
                    ended = verdict(example.case, example.subject, changed, ALONE[spec.name])
                    assert not ended.passed, (spec.name, example.name, path, each)


def _texts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in steps:
        if isinstance(each, str) and each.strip():
            yield (*path, step)
        yield from _texts(each, (*path, step))


def _put(value: Any, path: tuple[Any, ...], words: str) -> Any:
    if not path:
        return words
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = _put(changed[path[0]], path[1:], words)
    return changed
