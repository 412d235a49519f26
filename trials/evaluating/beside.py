"""What stands beside an agent's score: what the playbook, and a guess from the title alone, would say."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from incidents import likeness
from investigations import playbook
from investigations.demands import question
from toolbox.scope import CallScope
from trials.evaluating.answering import Asked, Record
from trials.evaluating.cases import Planned, needed
from trials.evaluating.repeated import frozen
from verdicts.closings import Actual
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict


@dataclass(frozen=True, slots=True)
class ByPlaybook:
    """What the playbook came to in a case's world, and the needed facts that it asked for."""

    passed: bool
    gathered: tuple[str, ...]


def by_playbook(case: Planned, book: Rulebook) -> ByPlaybook:
    """Let the playbook look into a case."""
    world, record = case.world, Record(case.world)
    ask = Asked(record, CallScope(caller="playbook", is_derived=True), limit=settings.INVESTIGATION_MAX_CALLS)
    came = playbook.investigate(world.subject, book, ask, now=world.now, earlier={})
    whole = frozen(world, came.submission, (), entries=record.entries())
    decided = verdict(whole.case, whole.subject, whole.entries, book)
    return ByPlaybook(decided.passed, gathered(case.rule, record, book))


def gathered(rule: str, record: Record, book: Rulebook) -> tuple[str, ...]:
    """Return the facts of a rule whose exact question was asked by whoever investigated, not by code."""
    asked = {question(each.entry.tool, each.entry.arguments) for each in record.answers if each.is_own}
    wanted = needed(rule, record.world.subject, book)
    return tuple(fact for fact, put in wanted.items() if put in asked)


def by_title(cases: Sequence[Planned]) -> list[bool | None]:
    """Guess each case's outcome from its title: what was so of the other case whose title is most like it.

    None where there is no other to go by. Of equally alike ones a fail counts: it is the cheap mistake.
    """
    known = [(likeness.pieces(each.world.subject.title), each.actual) for each in cases]
    return [_guess(place, known) for place in range(len(known))]


def _guess(place: int, known: Sequence[tuple[frozenset[str], Actual]]) -> bool | None:
    title, best, guess = known[place][0], -1.0, None
    for other, (pieces, actual) in enumerate(known):
        if other == place or actual not in (Actual.PASS, Actual.FAIL):
            continue
        share = likeness.alike(title, pieces)
        if share > best or (share == best and actual is Actual.FAIL):
            best, guess = share, actual is Actual.PASS
    return guess
