"""`assay-prove`: prove rules by their cases and mutants. No Django, database or network."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TextIO

import verdicts
from assay_core.arguments import ToolShape
from verdicts.loading import rule_files
from verdicts.packs import PackMissing, folder_of
from verdicts.plain import CaseUnreadable
from verdicts.prove.purity import ProofImpossible
from verdicts.prove.weakness import Proof, RuleProof, Weakness
from verdicts.prove.whole import prove
from verdicts.replay.tools import FILE, read_tools

PROVEN, WEAK, IMPOSSIBLE = 0, 1, 2
SHIPPED = Path(verdicts.__file__).parent / "rules"
HOW_IT_ENDS = (
    "Exit code: 0 every rule is proven; 1 a rule does not load, a mutant survives or a condition is not "
    "tested; 2 a path or a file of tools can't be read."
)
_COUNTED = (
    (Proof.CASES, "cases"),
    (Proof.DRIFT, "of drift"),
    (Proof.MONOTONY, "with less evidence"),
    (Proof.CONDITIONS, "of conditions"),
)


def main(arguments: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Run the command; return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        tools = known_tools(options.places)
        for path in options.tools:
            tools |= read_tools(path)
    except CaseUnreadable as error:
        print(f"assay-prove: {error}.", file=sys.stderr)
        return IMPOSSIBLE
    return told(options.places or [SHIPPED], tools, lambda line: print(line, file=out or sys.stdout))


def known_tools(places: Sequence[Path | str]) -> dict[str, ToolShape]:
    """Return the tools of the shipped rules, and those of the `tools.json` in each folder."""
    found: dict[str, ToolShape] = {}
    for folder in (SHIPPED, *map(Path, places)):
        file = (folder if folder.is_dir() else folder.parent) / FILE
        if file.is_file():
            found |= read_tools(file)
    return found


def told(places: Sequence[Path | str], tools: Mapping[str, ToolShape], say: Callable[[str], object]) -> int:
    """Prove the rules of these places and say what came of it, line by line; return the exit code."""
    try:
        proofs = prove(rules_of(places), tools)
    except (PackMissing, ProofImpossible) as error:
        say(f"Nothing is proven: {error}")
        return IMPOSSIBLE
    for each in proofs:
        say(_line(each))
        for words in _grouped(each.weaknesses):
            say(f"  {words}")
    say(_summary(proofs))
    return PROVEN if all(each.is_proven for each in proofs) else WEAK


def rules_of(places: Sequence[Path | str]) -> tuple[Path, ...]:
    """Return the rule files of folders, import paths and files; raise PackMissing."""
    found: dict[Path, None] = {}
    for place in places:
        if Path(place).suffix == ".py":
            if not Path(place).is_file():
                raise PackMissing(f"there is no file {place}: correct the path.")
            found[Path(place).resolve()] = None
            continue
        folder = folder_of(place)
        files = rule_files(folder)
        if not files:
            raise PackMissing(f"{folder} holds no rule: write one with `manage.py newrule NAME`.")
        found.update(dict.fromkeys(files))
    return tuple(found)


def _line(each: RuleProof) -> str:
    word = "proven" if each.is_proven else "NOT PROVEN"
    counts = ", ".join(f"{each.tried.get(proof, 0)} {words}" for proof, words in _COUNTED)
    return f"{word:<11} {each.rule}: {counts}"


def _grouped(weaknesses: Sequence[Weakness]) -> list[str]:
    """Return one sentence for what several cases show alike."""
    alike: dict[tuple[Proof, str, str, int], list[Weakness]] = {}
    for each in weaknesses:
        alike.setdefault((each.proof, each.fact, each.mutant, each.line), []).append(each)
    return [
        f"{proof:<10} {group[0].sentence}{f' And {len(group) - 1} more cases.' if len(group) > 1 else ''}"
        for (proof, *_), group in alike.items()
    ]


def _summary(proofs: Sequence[RuleProof]) -> str:
    tried = {proof: sum(each.tried.get(proof, 0) for each in proofs) for proof in Proof}
    proven = sum(each.is_proven for each in proofs)
    found = Counter(one.proof for each in proofs for one in each.weaknesses)
    return (
        f"{len(proofs)} rule{'s' if len(proofs) > 1 else ''}, {proven} proven. "
        f"Of {tried[Proof.DRIFT]} drift mutants {found[Proof.DRIFT]} survive; "
        f"of {tried[Proof.CONDITIONS]} condition mutants {found[Proof.CONDITIONS]} are not tested; "
        f"{found[Proof.MONOTONY]} passes by less evidence; {found[Proof.PURITY]} impure; "
        f"{found[Proof.SOURCE]} complaints of sources; {found[Proof.CASES]} that do not load."
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="assay-prove",
        description="Prove rules: their cases, drift, monotony, purity, and that each condition is tested.",
        epilog=HOW_IT_ENDS,
    )
    parser.add_argument(
        "places",
        nargs="*",
        metavar="PATH",
        help="folders, import paths or rule files; else the shipped ones",
    )
    parser.add_argument(
        "--tools", action="append", type=Path, default=[], metavar="FILE",
        help="the shapes of further tools (tools.json beside the rules is read anyway)",
    )  # fmt: skip
    return parser
