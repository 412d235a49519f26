"""The verdict that a named person accepted for a replay, and in what another verdict differs from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from assay_core.instants import as_text, from_text
from verdicts import plain
from verdicts.closings import Actual
from verdicts.comparison import Ending, ending, outcomes_of
from verdicts.outcomes import Verdict
from verdicts.plain import CaseUnreadable


class AcceptanceRefused(ValueError):
    """A verdict can't be accepted; the message says why and what to do instead."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A verdict without its words, and who accepted it when and why."""

    passed: bool
    hypothesis: str
    deciding: str
    outcomes: Mapping[str, str]
    rulebook_digest: str
    by: str
    at: str
    because: str

    def to_plain(self) -> dict[str, Any]:
        """Return the JSON form that from_plain reads."""
        return {
            "passed": self.passed,
            "hypothesis": self.hypothesis,
            "deciding": self.deciding,
            "outcomes": dict(self.outcomes),
            "rulebook_digest": self.rulebook_digest,
            "by": self.by,
            "at": self.at,
            "because": self.because,
        }

    @classmethod
    def from_plain(cls, value: Any, path: str) -> Self:
        """Read the JSON form; raise CaseUnreadable naming the path."""
        raw = plain.record(value, path, _KEYS)
        plain.instant(raw["at"], path, "at")
        return cls(
            passed=plain.flag(raw["passed"], path, "passed"),
            hypothesis=plain.text(raw["hypothesis"], path, "hypothesis"),
            deciding=plain.text(raw["deciding"], path, "deciding"),
            outcomes=plain.texts(raw["outcomes"], path, "outcomes"),
            rulebook_digest=plain.text(raw["rulebook_digest"], path, "rulebook_digest"),
            by=_named(raw["by"], f"{path}.by"),
            at=raw["at"],
            because=_named(raw["because"], f"{path}.because"),
        )


def accept(verdict: Verdict, actual: Actual, *, by: str, at: str, because: str) -> Accepted:
    """Return the acceptance of a verdict. Raises AcceptanceRefused: a false pass never is accepted.

    `at` is an ISO 8601 time with a zone.
    """
    if not by.strip():
        raise AcceptanceRefused("Give the name of the person who accepts: --by NAME.")
    if not because.strip():
        raise AcceptanceRefused("Say why the verdict is right: --because TEXT.")
    if ending(verdict.passed, actual) is Ending.FALSE_PASS:
        raise AcceptanceRefused(
            f"This is a false pass: {verdict.hypothesis} passes what really was a fail. It can't be accepted "
            "by anybody. Mend the rule until the incident fails, then accept that."
        )
    return Accepted(
        passed=verdict.passed,
        hypothesis=verdict.hypothesis,
        deciding=verdict.deciding,
        outcomes=outcomes_of(verdict),
        rulebook_digest=verdict.rulebook_digest,
        by=by.strip(),
        at=as_text(from_text(at)),
        because=because.strip(),
    )


def changes(accepted: Accepted, verdict: Verdict) -> tuple[str, ...]:
    """Say in what a verdict differs from the accepted one; its words and the rulebook's digest may."""
    found = []
    if verdict.passed is not accepted.passed:
        found.append(f"{_word(accepted.passed)} became {_word(verdict.passed)}")
    if verdict.hypothesis != accepted.hypothesis:
        found.append(f"the hypothesis {accepted.hypothesis} became {verdict.hypothesis}")
    if verdict.deciding != accepted.deciding:
        found.append(f"{accepted.deciding or 'no fact'} decided, and now {verdict.deciding or 'none'} does")
    now, before = outcomes_of(verdict), accepted.outcomes
    if now != before:
        for name in sorted(now.keys() | before.keys()):
            was, became = before.get(name, "absent"), now.get(name, "absent")
            if was != became:
                found.append(f"{name}: {was} became {became}")
    return tuple(found)


def _word(passed: bool) -> str:
    return "pass" if passed else "fail"


def _named(value: Any, path: str) -> str:
    said = plain.text(value, path)
    if not said.strip():
        raise CaseUnreadable(path, "must say something: nobody accepts without a name and a reason")
    return said


_KEYS = frozenset(Accepted.__dataclass_fields__)
