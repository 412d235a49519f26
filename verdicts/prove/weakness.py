"""What the proofs say of a rule: how much was tried, and each weakness by proof, fact and mutant."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Proof(StrEnum):
    """The five proofs, and the reading of the source that comes before them."""

    SOURCE = "source"
    CASES = "cases"
    DRIFT = "drift"
    MONOTONY = "monotony"
    PURITY = "purity"
    CONDITIONS = "conditions"


#: What a weakness of each proof means for whoever wrote the rule.
MEANS = {
    Proof.SOURCE: "This has no place in a rule.",
    Proof.CASES: "The rule does not load.",
    Proof.DRIFT: "It still passes.",
    Proof.MONOTONY: "Less evidence turned a fail into a pass.",
    Proof.PURITY: "The same input must give the same output, always and everywhere.",
    Proof.CONDITIONS: "This condition is not tested: no case ends otherwise.",
}


@dataclass(frozen=True, slots=True)
class Weakness:
    """One thing that a proof found: in which rule and fact, by which mutant, in which case or line."""

    proof: Proof
    rule: str
    fact: str
    mutant: str
    case: str = ""
    line: int = 0

    @property
    def sentence(self) -> str:
        """The weakness on one line: rule, fact, mutant, and what it means."""
        named = f"{self.rule}.{self.fact}" if self.fact else self.rule
        line = f", line {self.line}" if self.line else ""
        case = f" (case {self.case!r})" if self.case else ""
        return f"{named}{line}: {self.mutant}{case}. {MEANS[self.proof]}"


@dataclass(frozen=True, slots=True)
class RuleProof:
    """All that the proofs say of one rule file. `tried` counts what each proof judged."""

    rule: str
    path: Path
    tried: Mapping[Proof, int]
    weaknesses: tuple[Weakness, ...]

    @property
    def is_proven(self) -> bool:
        """Whether no proof found anything."""
        return not self.weaknesses
