"""What a verdict says: pass or fail, and for every fact, refutation and citation how it came out and why."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from verdicts import plain
from verdicts.plain import CaseUnreadable
from verdicts.words import Reason


class Outcome(StrEnum):
    """How a fact came out. Only `holds` counts towards a pass."""

    HOLDS = "holds"
    FAILS = "fails"
    UNANSWERABLE = "unanswerable"


class Effect(StrEnum):
    """How a refutation came out. Only `silent` leaves a pass possible."""

    FIRES = "fires"
    SILENT = "silent"
    UNANSWERABLE = "unanswerable"


#: The words by themselves: looking one up on its enum costs as much as the comparison it is for.
HOLDS, FAILS, UNANSWERABLE, SILENT = Outcome.HOLDS, Outcome.FAILS, Outcome.UNANSWERABLE, Effect.SILENT
OUTCOMES = {str(word): word for word in Outcome}
EFFECTS = {str(word): word for word in Effect}


class FactOutcome(NamedTuple):
    """One fact: how it came out, why, the entry that decided, and the arguments that were demanded."""

    name: str
    outcome: Outcome
    words: Reason
    tool: str
    entry: int | None
    demanded: Mapping[str, Any] | None

    @property
    def reason(self) -> str:
        """Why, as a sentence. It is put into words when it is read: most reasons never are."""
        return str(self.words)

    def to_plain(self) -> dict[str, Any]:
        """Return the JSON form that from_plain reads."""
        return {
            "name": self.name,
            "outcome": str(self.outcome),
            "reason": self.reason,
            "tool": self.tool,
            "entry": self.entry,
            "demanded": None if self.demanded is None else dict(self.demanded),
        }

    @classmethod
    def from_plain(cls, value: Any, path: str = "fact") -> "FactOutcome":
        """Read the JSON form; raise CaseUnreadable naming the path."""
        raw = plain.record(value, path, _FACT_KEYS)
        asked = raw["demanded"]
        return cls(
            name=plain.text(raw["name"], f"{path}.name"),
            outcome=plain.one_of(raw["outcome"], f"{path}.outcome", OUTCOMES),
            words=plain.text(raw["reason"], f"{path}.reason"),
            tool=plain.text(raw["tool"], f"{path}.tool"),
            entry=_number_or_none(raw["entry"], f"{path}.entry"),
            demanded=None if asked is None else plain.mapping(asked, f"{path}.demanded"),
        )


class RefutationOutcome(NamedTuple):
    """One refutation: whether it fires, why, and the entry that satisfied it."""

    name: str
    outcome: Effect
    reason: str
    entry: int | None

    def to_plain(self) -> dict[str, Any]:
        """Return the JSON form that from_plain reads."""
        return {
            "name": self.name,
            "outcome": str(self.outcome),
            "reason": self.reason,
            "entry": self.entry,
        }

    @classmethod
    def from_plain(cls, value: Any, path: str = "refutation") -> "RefutationOutcome":
        """Read the JSON form; raise CaseUnreadable naming the path."""
        raw = plain.record(value, path, _REFUTATION_KEYS)
        return cls(
            name=plain.text(raw["name"], f"{path}.name"),
            outcome=plain.one_of(raw["outcome"], f"{path}.outcome", EFFECTS),
            reason=plain.text(raw["reason"], f"{path}.reason"),
            entry=_number_or_none(raw["entry"], f"{path}.entry"),
        )


class CitationOutcome(NamedTuple):
    """One finding: whether its entry is the one that answers the fact's question, and why not."""

    fact: str
    entry: int
    accepted: bool
    reason: str

    def to_plain(self) -> dict[str, Any]:
        """Return the JSON form that from_plain reads."""
        return {
            "fact": self.fact,
            "entry": self.entry,
            "accepted": self.accepted,
            "reason": self.reason,
        }

    @classmethod
    def from_plain(cls, value: Any, path: str = "citation") -> "CitationOutcome":
        """Read the JSON form; raise CaseUnreadable naming the path."""
        raw = plain.record(value, path, _CITATION_KEYS)
        return cls(
            fact=plain.text(raw["fact"], f"{path}.fact"),
            entry=plain.whole(raw["entry"], f"{path}.entry"),
            accepted=plain.flag(raw["accepted"], f"{path}.accepted"),
            reason=plain.text(raw["reason"], f"{path}.reason"),
        )


class Verdict(NamedTuple):
    """Pass or fail. `deciding` names the fact or refutation that made it fail, where one did.

    `words` is the reason where the outcomes don't give it themselves; else it is empty.
    """

    passed: bool
    hypothesis: str
    rule_version: int | None
    facts: tuple[FactOutcome, ...]
    refutations: tuple[RefutationOutcome, ...]
    citations: tuple[CitationOutcome, ...]
    words: str
    deciding: str
    rulebook_digest: str

    @property
    def reason(self) -> str:
        """One sentence for people, put into words when it is read."""
        return self.words or _sentence(self)

    def to_plain(self) -> dict[str, Any]:
        """Return the JSON form that from_plain reads."""
        return {
            "passed": self.passed,
            "hypothesis": self.hypothesis,
            "rule_version": self.rule_version,
            "facts": [fact.to_plain() for fact in self.facts],
            "refutations": [refutation.to_plain() for refutation in self.refutations],
            "citations": [citation.to_plain() for citation in self.citations],
            "reason": self.reason,
            "deciding": self.deciding,
            "rulebook_digest": self.rulebook_digest,
        }

    @classmethod
    def from_plain(cls, value: Any, path: str = "verdict") -> "Verdict":
        """Read the JSON form; raise CaseUnreadable, also for a pass that its own outcomes don't carry."""
        raw = plain.record(value, path, _VERDICT_KEYS)
        words = plain.text(raw["reason"], f"{path}.reason")
        read = cls(
            passed=plain.flag(raw["passed"], f"{path}.passed"),
            hypothesis=plain.text(raw["hypothesis"], f"{path}.hypothesis"),
            rule_version=_number_or_none(raw["rule_version"], f"{path}.rule_version"),
            facts=plain.several(raw["facts"], f"{path}.facts", FactOutcome.from_plain),
            refutations=plain.several(
                raw["refutations"], f"{path}.refutations", RefutationOutcome.from_plain
            ),
            citations=plain.several(raw["citations"], f"{path}.citations", CitationOutcome.from_plain),
            words="",
            deciding=plain.text(raw["deciding"], f"{path}.deciding"),
            rulebook_digest=plain.text(raw["rulebook_digest"], f"{path}.rulebook_digest"),
        )
        if read.passed and not is_earned(read.facts, read.refutations):
            raise CaseUnreadable(f"{path}.passed", "says pass, and the facts beside it do not")
        return read if read.reason == words else read._replace(words=words)


def _sentence(verdict: Verdict) -> str:
    """Return the reason as the outcomes give it: what speaks against it, else what fails, else what lacks."""
    for refutation in verdict.refutations:
        if refutation.outcome is not SILENT:
            return f"{refutation.name} speaks against it: {refutation.reason}"
    for outcome, says in ((FAILS, "does not hold"), (UNANSWERABLE, "is unanswered")):
        for fact in verdict.facts:
            if fact.outcome is outcome:
                return f"{fact.name} {says}: {fact.reason}"
    if len(verdict.facts) > 1:
        return f"All {len(verdict.facts)} facts of {verdict.hypothesis} hold."
    return "".join(f"{fact.name} holds." for fact in verdict.facts)


def is_earned(facts: tuple[FactOutcome, ...], refutations: tuple[RefutationOutcome, ...]) -> bool:
    """Say whether there are facts, every one of them holds, and every refutation keeps silent."""
    for fact in facts:
        if fact.outcome is not HOLDS:
            return False
    if not facts:
        return False
    return not refutations or all(refutation.outcome is SILENT for refutation in refutations)


def _number_or_none(value: Any, path: str) -> int | None:
    return None if value is None else plain.whole(value, path)


def _keys(fields: tuple[str, ...]) -> frozenset[str]:
    return frozenset("reason" if name == "words" else name for name in fields)


_FACT_KEYS = _keys(FactOutcome._fields)
_REFUTATION_KEYS = _keys(RefutationOutcome._fields)
_CITATION_KEYS = _keys(CitationOutcome._fields)
_VERDICT_KEYS = _keys(Verdict._fields)
