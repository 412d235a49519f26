"""A verdict beside what really was so: as it was, a false pass, a false fail, or nothing to compare."""

from enum import StrEnum

from verdicts.closings import Actual
from verdicts.outcomes import Effect, Verdict


class Ending(StrEnum):
    """How a verdict compares with what people found in the end."""

    AS_IT_WAS = "as it was"
    FALSE_PASS = "false pass"  # noqa: S105 two words for people
    FALSE_FAIL = "false fail"
    NOT_COMPARABLE = "not comparable"


def ending(passed: bool, actual: Actual) -> Ending:
    """Compare a verdict with what the closing outcome says; `actual` is never `as its target` here."""
    if actual is Actual.PASS:
        return Ending.AS_IT_WAS if passed else Ending.FALSE_FAIL
    if actual is Actual.FAIL:
        return Ending.FALSE_PASS if passed else Ending.AS_IT_WAS
    return Ending.NOT_COMPARABLE


def decided_by(verdict: Verdict) -> str:
    """Name what decided: the fact or refutation of a fail, the facts of a pass; the reason where none did."""
    if verdict.passed:
        return ", ".join(fact.name for fact in verdict.facts)
    return verdict.deciding


def outcomes_of(verdict: Verdict) -> dict[str, str]:
    """Return how each fact and each refutation came out, by its name, without the words."""
    found = {fact.name: str(fact.outcome) for fact in verdict.facts}
    for each in verdict.refutations:
        before = found.get(each.name)
        if before is None or before == Effect.SILENT:  # a person may refute by a name the rule has too
            found[each.name] = str(each.outcome)
    return found
