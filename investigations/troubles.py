"""Which facts of a verdict could not be answered, and when that is a drift. Pure."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from investigations.states import TroubleKind
from verdicts.answer import Answer, FieldMismatch, FieldMissing
from verdicts.fact import Fact
from verdicts.frozen import Frozen
from verdicts.outcomes import Outcome, Verdict
from verdicts.rulebook import Rulebook
from verdicts.subject import Subject

CLEAN_FOR = timedelta(days=7)
CLEAN_JUDGEMENTS = 20
WITHIN = timedelta(hours=1)
JUMP = 3


@dataclass(frozen=True, slots=True)
class Trouble:
    """One fact that could not be answered; the path is that of a field, where one is named."""

    fact: str
    tool: str
    path: str
    kind: TroubleKind


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted of one trouble: in the days before, and within the hour."""

    judged_before: int  # verdicts by the rule before the hour
    before: int
    within: int
    told: bool  # an incident about it was opened in these days


def is_jump(counted: Counted) -> bool:
    """Say whether a clean run has ended: never in 20 verdicts or more of 7 days, and 3 times in an hour."""
    return (
        not counted.told
        and counted.judged_before >= CLEAN_JUDGEMENTS
        and counted.before == 0
        and counted.within >= JUMP
    )


def troubles_of(frozen: Frozen, decided: Verdict, rulebook: Rulebook) -> Iterator[Trouble]:
    """Yield each fact of the verdict that is unanswerable, with the field that its check could not read."""
    rule = rulebook.rules.get(decided.hypothesis)
    for outcome in decided.facts:
        if outcome.outcome is not Outcome.UNANSWERABLE:
            continue
        fact = rule.facts.get(outcome.name) if rule else None
        entry = frozen.entries.get(outcome.entry) if outcome.entry is not None else None
        kind, path = TroubleKind.UNANSWERED, ""
        if fact is not None and entry is not None:
            kind, path = _read_again(fact, Answer(entry.result), frozen.subject)
        yield Trouble(outcome.name, outcome.tool, path, kind)


def _read_again(fact: Fact, answer: Answer, subject: Subject) -> tuple[TroubleKind, str]:
    with suppress(Exception, SystemExit):  # a rule may be anybody's code
        try:
            fact.holds(answer, subject)
        except FieldMissing as error:
            return TroubleKind.MISSING, error.path
        except FieldMismatch as error:
            return TroubleKind.MISMATCH, error.path
    return TroubleKind.UNANSWERED, ""
