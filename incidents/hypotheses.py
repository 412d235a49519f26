"""The other hypotheses that an incident's evidence was held against, and why each was discarded."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from investigations import rulebook
from investigations.judging import Frozen
from investigations.models import Case
from verdicts.case import CaseUnreadable
from verdicts.outcomes import FactOutcome, Outcome
from verdicts.verdict import verdict


@dataclass(frozen=True, slots=True)
class Discarded:
    """One rule about incidents like this, judged on the same evidence; `short` are the facts it lacks."""

    name: str
    sentence: str
    holding: int
    short: Sequence[FactOutcome]
    passed: bool
    reason: str


def discarded(verdict_id: int | None) -> Sequence[Discarded]:
    """Return what every other applicable rule says of a verdict's case, those that hold most first.

    Nothing is asked for it: a fact that nobody asked about is unanswered. It changes no verdict.
    """
    row = Case.objects.filter(verdict=verdict_id).order_by("-pk").first()
    if row is None:
        return ()
    try:
        frozen = Frozen.stored(row)
    except CaseUnreadable:
        return ()
    book = rulebook.current_rulebook()
    chosen = frozen.case.submission.hypothesis
    found = []
    for rule in book.applicable(frozen.subject):
        if rule.name == chosen:
            continue
        submission = replace(frozen.case.submission, hypothesis=rule.name, findings=())
        case = replace(frozen.case, submission=submission, added=())
        decided = verdict(case, frozen.subject, frozen.entries, book)
        short = [each for each in decided.facts if each.outcome is not Outcome.HOLDS]
        found.append(
            Discarded(
                rule.name,
                rule.sentence,
                len(decided.facts) - len(short),
                sorted(short, key=lambda each: each.outcome is not Outcome.FAILS),
                decided.passed,
                decided.reason,
            )
        )
    return sorted(found, key=lambda each: (-each.holding, len(each.short), each.name))
