"""The rules in force as one value: what is loaded, suspended or broken, and the digest of it all."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay_core.arguments import ToolShape
from assay_core.canonical import digest
from verdicts.answer import shown
from verdicts.attempt import attempt
from verdicts.case import NONE_OF_THESE, Subject
from verdicts.demand import Demand, demanded
from verdicts.rule import RuleSpec

#: Raised whenever verdict() itself decides differently, so that the digest of every rulebook changes.
ENGINE_VERSION = 2


@dataclass(frozen=True, slots=True)
class Rulebook:
    """Rules by name, the shapes of the tools they ask, and which of them earn nothing at present."""

    rules: Mapping[str, RuleSpec]
    shapes: Mapping[str, ToolShape]
    suspended: frozenset[str] = frozenset()
    broken: Mapping[str, str] = field(default_factory=dict)
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        """Compute the digest once: it covers rules, cases, tools, suspensions and what is broken."""
        for name, rule in self.rules.items():
            if name != rule.name:
                raise ValueError(f"the rule {rule.name!r} stands in the rulebook as {name!r}")
        object.__setattr__(self, "digest", self._digest())

    def rule_digest(self, name: str) -> str:
        """Return the digest of one rule: its source, its cases and the schemas of its tools."""
        rule = self.rules[name]
        tools = {tool: _shape_plain(self.shapes[tool]) for tool in rule.tools if tool in self.shapes}
        return digest({"engine": ENGINE_VERSION, "rule": rule.own_digest, "tools": tools})

    def inactive_because(self, hypothesis: str) -> str:
        """Return why a hypothesis earns nothing whatever its facts say, or an empty text."""
        if hypothesis == NONE_OF_THESE:
            return "No hypothesis was raised that could earn a pass."
        if hypothesis in self.broken:
            return f"The rule {hypothesis} could not be loaded and earns nothing: {self.broken[hypothesis]}"
        rule = self.rules.get(hypothesis)
        if rule is None:
            return f"No rule is named {shown(hypothesis)}: without one nothing can pass."
        if hypothesis in self.suspended:
            return f"The rule {hypothesis} is suspended and earns nothing at present."
        if rule.retired:
            return f"The rule {hypothesis} is retired: {rule.retired}"
        return ""

    def applicable(self, subject: Subject) -> tuple[RuleSpec, ...]:
        """Return the active rules that are about this subject, sorted by name."""
        return tuple(
            rule
            for name, rule in sorted(self.rules.items())
            if not self.inactive_because(name) and not rule.obstacles(subject)
        )

    def demands(self, rule: RuleSpec, subject: Subject) -> tuple[Demand, ...]:
        """Return what each fact of a rule needs to be asked; a fact that can't be asked is left out."""
        found = []
        for name, fact in rule.facts.items():
            shape = self.shapes.get(fact.tool)
            if shape is None:
                continue
            arguments, problem = attempt(demanded, fact, subject, shape)
            if problem:
                continue
            opens_at = subject.started_at + fact.not_before if fact.not_before else None
            found.append(Demand(name, fact.tool, arguments, opens_at, fact.max_age))
        return tuple(found)

    def _digest(self) -> str:
        return digest(
            {
                "engine": ENGINE_VERSION,
                "rules": {name: self.rule_digest(name) for name in self.rules},
                "suspended": sorted(self.suspended),
                "broken": sorted(self.broken),
            }
        )


def _shape_plain(shape: ToolShape) -> dict[str, object]:
    return {
        "digest": shape.digest,
        "defaults": dict(shape.defaults),
        "normalise": {name: list(operations) for name, operations in shape.normalise.items()},
    }
