"""A case judged again as though its run had been another one."""

from collections.abc import Mapping
from dataclasses import replace

from verdicts.case import Entry
from verdicts.cases import Example
from verdicts.outcomes import Verdict
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict


def judge_again(example: Example, entries: Mapping[int, Entry | None], alone: Rulebook) -> Verdict:
    """Judge a case with these entries, listed as its run; an entry that is None is not there."""
    present = {number: entry for number, entry in entries.items() if entry is not None}
    run = example.case.investigation
    listed = tuple((number, entry.leaf) for number, entry in present.items() if entry.investigation == run)
    return verdict(replace(example.case, entries=listed), example.subject, present, alone)


def deciding(whole: Verdict, entries: Mapping[int, Entry]) -> dict[int, Entry]:
    """Return the entries that decide the facts of a verdict."""
    return {fact.entry: entries[fact.entry] for fact in whole.facts if fact.entry is not None}
