"""A rule as people write it, and the frozen form in which it is judged by."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from assay_core.canonical import digest
from verdicts.answer import shown
from verdicts.case import Subject
from verdicts.fact import Fact, Refutation, RuleMalformed

KINDS = frozenset({"alert", "claim", "issue"})


class Rule:
    """Base of every rule: a class with a doc sentence, a version, kinds, needs, and Facts as attributes.

    `needs`: identifiers without which the rule says nothing. `applies_to`: labels that the incident
    must carry, each with its accepted values. `retired`: why the rule, which keeps its name, no longer
    earns anything.
    `draft_pass`: what the draft of an earned pass says, with `{identifier}` for the incident's identifiers.
    """

    version: ClassVar[int]
    kinds: ClassVar[set[str]]
    needs: ClassVar[set[str]] = set()
    applies_to: ClassVar[Mapping[str, set[str]]] = {}
    retired: ClassVar[str] = ""
    draft_pass: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class RuleSpec:
    """One rule, frozen: what `verdict()` reads. Made by `spec_of`."""

    name: str
    sentence: str
    version: int
    kinds: frozenset[str]
    needs: frozenset[str]
    applies_to: Mapping[str, frozenset[str]]
    facts: Mapping[str, Fact]
    refutations: Mapping[str, Refutation]
    retired: str = ""
    source: str = ""
    cases: str = ""
    draft_pass: str = ""

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that the rule reads, sorted."""
        asked = {fact.tool for fact in self.facts.values()}
        return tuple(sorted(asked | {refutation.tool for refutation in self.refutations.values()}))

    @property
    def own_digest(self) -> str:
        """The digest of the rule's source and cases (the rulebook adds the schemas of its tools)."""
        return digest(
            {"name": self.name, "version": self.version, "source": self.source, "cases": self.cases}
        )

    def obstacles(self, subject: Subject) -> tuple[str, ...]:
        """Say, sentence by sentence, why this rule is not about this subject; nothing when it is."""
        found = []
        if subject.kind not in self.kinds:
            found.append(f"The rule is for {_either(self.kinds)}, and this is {subject.kind or 'unnamed'}.")
        identifiers, labels = subject.identifiers, subject.labels
        for name in self.needs:
            value = identifiers.get(name)
            if type(value) is not str or not value.strip():
                found.append(f"The incident carries no {name}.")
        for label, accepted in self.applies_to.items():
            value = labels.get(label)
            if type(value) is not str or value not in accepted:
                says = f"says {shown(value)}" if value else "is missing"
                found.append(
                    f"The rule is for {label} {_either(accepted)}, and the incident's {label} {says}."
                )
        return tuple(sorted(found)) if found else ()


def spec_of(rule: type[Rule], *, source: str = "", cases: str = "", module_doc: str = "") -> RuleSpec:
    """Freeze a rule class; raises RuleMalformed that says what to change.

    The sentence is the first line of the class's docstring, or of its module's.
    """
    declared = {name: value for base in reversed(rule.__mro__) for name, value in vars(base).items()}
    facts = {name: value for name, value in declared.items() if isinstance(value, Fact)}
    refutations = {name: value for name, value in declared.items() if isinstance(value, Refutation)}
    if not facts:
        raise RuleMalformed(
            f"{rule.__name__} declares no Fact: a rule without one would earn a pass for nothing"
        )
    sentence = (rule.__doc__ or module_doc or "").strip().partition("\n")[0].strip()
    if not sentence:
        raise RuleMalformed(f"{rule.__name__} needs a docstring: its first line is the rule's sentence")
    return RuleSpec(
        name=snake_case(rule.__name__),
        sentence=sentence,
        version=_version(rule),
        kinds=_kinds(rule),
        needs=_names(rule, "needs"),
        applies_to=_applies_to(rule),
        facts=MappingProxyType(facts),
        refutations=MappingProxyType(refutations),
        retired=_retired(rule),
        source=source,
        cases=cases,
        draft_pass=_draft_pass(rule),
    )


def snake_case(name: str) -> str:
    """Return `TransientUpstreamTimeout` as `transient_upstream_timeout`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return spaced.lower()


def _version(rule: type[Rule]) -> int:
    version = getattr(rule, "version", None)
    if type(version) is not int or version < 1:
        raise RuleMalformed(f"{rule.__name__}.version is a whole number from 1 up")
    return version


def _kinds(rule: type[Rule]) -> frozenset[str]:
    kinds = getattr(rule, "kinds", None)
    if not isinstance(kinds, set | frozenset) or not kinds or not kinds <= KINDS:
        raise RuleMalformed(f"{rule.__name__}.kinds is a set of {_either(KINDS)}")
    return frozenset(kinds)


def _names(rule: type[Rule], attribute: str) -> frozenset[str]:
    names = getattr(rule, attribute)
    if not isinstance(names, set | frozenset) or not all(type(name) is str and name for name in names):
        raise RuleMalformed(f"{rule.__name__}.{attribute} is a set of names")
    return frozenset(names)


def _applies_to(rule: type[Rule]) -> Mapping[str, frozenset[str]]:
    wanted = rule.applies_to
    if not isinstance(wanted, Mapping):
        raise RuleMalformed(f"{rule.__name__}.applies_to maps a label to the set of its accepted values")
    for label, accepted in wanted.items():
        words = isinstance(accepted, set | frozenset) and all(type(word) is str for word in accepted)
        if type(label) is not str or not words or not accepted:
            raise RuleMalformed(f"{rule.__name__}.applies_to[{label!r}] is a set of accepted values")
    return MappingProxyType({label: frozenset(accepted) for label, accepted in wanted.items()})


def _retired(rule: type[Rule]) -> str:
    if type(rule.retired) is not str:
        raise RuleMalformed(f"{rule.__name__}.retired is a sentence that says why the rule was retired")
    return rule.retired.strip()


def _draft_pass(rule: type[Rule]) -> str:
    if type(rule.draft_pass) is not str:
        raise RuleMalformed(
            f"{rule.__name__}.draft_pass is the text that the draft of an earned pass begins with"
        )
    return rule.draft_pass.strip()


def _either(words: frozenset[str]) -> str:
    return " or ".join(sorted(words))
