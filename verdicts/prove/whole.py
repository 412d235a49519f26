"""All proofs of rule files: what `manage.py proverules`, `assay-prove` and our own tests run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay_core.arguments import ToolShape
from verdicts.loading import RuleUnusable, built, cases_of, compiled, examples_of, load_rule, text_of
from verdicts.prove.conditions import untested
from verdicts.prove.drift import drifting
from verdicts.prove.monotony import less_evidence
from verdicts.prove.purity import RuleText, Sealed
from verdicts.prove.source import remarks
from verdicts.prove.weakness import Proof, RuleProof, Weakness


@dataclass(slots=True)
class _Growing:
    """A proof while it is made."""

    path: Path
    tried: dict[Proof, int] = field(default_factory=dict)
    found: list[Weakness] = field(default_factory=list)

    def add(self, proof: Proof, tried: int, weaknesses: Sequence[Weakness]) -> None:
        """Keep what one proof says."""
        self.tried[proof] = self.tried.get(proof, 0) + tried
        self.found += weaknesses

    def fails(self, error: Exception) -> None:
        """Keep why the rule does not load."""
        self.found.append(Weakness(Proof.CASES, self.path.stem, "", str(error).rstrip(".")))

    def done(self) -> RuleProof:
        """Return the whole."""
        return RuleProof(self.path.stem, self.path, self.tried, tuple(self.found))


def prove(paths: Sequence[Path], shapes: Mapping[str, ToolShape]) -> tuple[RuleProof, ...]:
    """Prove each rule file, in the order given. Raises ProofImpossible, and nothing for what a rule does."""
    growing = [_Growing(path) for path in paths]
    read = [(each, text) for each in growing if (text := _read(each)) is not None]
    with Sealed([text for _, text in read], shapes) as sealed:
        for each, text in read:
            _prove_here(each, text, shapes)
        apart = sealed.impure()
    for each, _ in read:
        each.add(Proof.PURITY, *apart[each.path])
    return tuple(each.done() for each in growing)


def _read(growing: _Growing) -> RuleText | None:
    path = growing.path
    try:
        if not cases_of(path).is_file():
            load_rule(path, {})  # which says so
        return RuleText(path, text_of(path), text_of(cases_of(path)))
    except RuleUnusable as error:
        growing.fails(error)
        return None


def _prove_here(growing: _Growing, text: RuleText, shapes: Mapping[str, ToolShape]) -> None:
    """Run the proofs that need no other process."""
    try:
        said = remarks(text.path.stem, text.source)
        growing.add(Proof.SOURCE, 1, said.weaknesses)
        if not said.reaches_outside:  # what reaches outside is run behind the seal and nowhere else
            _judge(growing, text, shapes)
    except (RuleUnusable, SyntaxError, ValueError, RecursionError) as error:
        growing.fails(error)


def _judge(growing: _Growing, text: RuleText, shapes: Mapping[str, ToolShape]) -> None:
    """Judge every mutant, also of a rule that its source keeps from loading: each fault is worth a name."""
    spec = built(text.path, text.source, text.cases, compiled(text.path, text.source))
    examples = examples_of(spec, shapes, cases_of(text.path).name)
    growing.add(Proof.CASES, len(examples), [])
    if not spec.retired:
        growing.add(Proof.DRIFT, *drifting(spec, examples, shapes))
        growing.add(Proof.MONOTONY, *less_evidence(spec, examples, shapes))
        growing.add(Proof.CONDITIONS, *untested(spec, examples, shapes, text.path))
