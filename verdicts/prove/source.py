"""What the source of a rule may not hold, told by the fact in which it stands."""

import ast
from dataclasses import dataclass

from verdicts.prove.condition_places import regions
from verdicts.prove.weakness import Proof, Weakness
from verdicts.scrutiny import OUTSIDE, found_in


@dataclass(frozen=True, slots=True)
class Remarks:
    """What was found in a rule's source, and whether it may reach outside when it is run."""

    weaknesses: tuple[Weakness, ...]
    reaches_outside: bool


def remarks(rule: str, source: str) -> Remarks:
    """Read a rule's source; raises SyntaxError for what is none."""
    facts_of = _facts_by_line(source)
    found = found_in(source)
    weaknesses = [
        Weakness(Proof.SOURCE, rule, fact, each.said, line=each.line)
        for each in found
        for fact in facts_of.get(each.line) or ("",)
    ]
    return Remarks(tuple(weaknesses), any(each.kind is OUTSIDE for each in found))


def _facts_by_line(source: str) -> dict[int, tuple[str, ...]]:
    lines: dict[int, tuple[str, ...]] = {}
    for region in regions(ast.parse(source)):
        first = getattr(region.node, "lineno", 0)
        for line in range(first, (getattr(region.node, "end_lineno", first) or first) + 1):
            lines[line] = tuple(dict.fromkeys((*lines.get(line, ()), *region.facts)))
    return lines
