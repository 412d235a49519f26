"""The proof that each condition is tested: a mutant under which every case ends as before is a weakness."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay_core.arguments import ToolShape
from verdicts.cases import Example
from verdicts.loading import RuleUnusable, built
from verdicts.prove.mutants import Mutant, source_mutants, spec_mutants
from verdicts.prove.weakness import Proof, Weakness
from verdicts.rule import RuleSpec
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict


def untested(
    spec: RuleSpec, examples: Sequence[Example], shapes: Mapping[str, ToolShape], path: Path
) -> tuple[int, tuple[Weakness, ...]]:
    """Return how many mutants of a rule were judged, and those that no case tells from the rule itself."""
    earning_first = sorted(examples, key=lambda example: not example.passes)
    judged = 0
    found: dict[tuple[str, str, int], Weakness] = {}
    for mutant, changed in _mutants(spec, path):
        judged += 1
        if changed is not None and not _is_killed(changed, earning_first, shapes):
            for fact in mutant.facts:
                weakness = Weakness(Proof.CONDITIONS, spec.name, fact, mutant.words, line=mutant.line)
                found.setdefault((fact, mutant.words, mutant.line), weakness)
    return judged, tuple(found.values())


def _mutants(spec: RuleSpec, path: Path) -> Iterator[tuple[Mutant, RuleSpec | None]]:
    for mutant, code in source_mutants(spec.source, str(path)):
        try:
            yield mutant, built(path, "", "", code)
        except RuleUnusable:  # what does not load is told apart at once
            yield mutant, None
    yield from spec_mutants(replace(spec, source="", cases=""))  # which a rulebook's digest would cover


def _is_killed(spec: RuleSpec, examples: Sequence[Example], shapes: Mapping[str, ToolShape]) -> bool:
    alone = Rulebook(rules={spec.name: spec}, shapes=shapes)
    return any(
        verdict(each.case, each.subject, each.entries, alone).passed is not each.passes for each in examples
    )
