"""What stands beside an agent's score: what the playbook, and a guess from the title alone, would say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings

from incidents import likeness
from investigations import playbook
from investigations.demands import question
from toolbox.scope import CallScope
from trials.evaluating.answering import Asked, Record
from trials.evaluating.repeated import frozen
from trials.worlds import World
from verdicts.case import Subject
from verdicts.closings import Actual
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict


@dataclass(frozen=True, slots=True)
class ByPlaybook:
    """What the playbook came to in a case's world, and the needed facts that it asked for."""

    passed: bool
    gathered: tuple[str, ...]


def by_playbook(world: World, rule: str, book: Rulebook) -> ByPlaybook:
    """Let the playbook look into a case whose facts are those of a rule."""
    record = Record(world)
    ask = Asked(record, CallScope(caller="playbook", is_derived=True), limit=settings.INVESTIGATION_MAX_CALLS)
    came = playbook.investigate(world.subject, book, ask, now=world.now, earlier={})
    whole = frozen(world, came.submission, (), entries=record.entries())
    decided = verdict(whole.case, whole.subject, whole.entries, book)
    return ByPlaybook(decided.passed, gathered(rule, record, book))


def needed(rule: str, subject: Subject, book: Rulebook) -> Mapping[str, str]:
    """Return the question of each fact that a rule needs of a subject and that can be asked here, by name."""
    about = next((each for each in book.applicable(subject) if each.name == rule), None)
    if about is None:
        return {}
    return {each.fact: question(each.tool, each.arguments) for each in book.demands(about, subject)}


def gathered(rule: str, record: Record, book: Rulebook) -> tuple[str, ...]:
    """Return the facts of a rule whose exact question was asked by whoever investigated, not by code."""
    asked = {question(each.entry.tool, each.entry.arguments) for each in record.answers if each.is_own}
    wanted = needed(rule, record.world.subject, book)
    return tuple(fact for fact, put in wanted.items() if put in asked)


def by_title(cases: Sequence[tuple[str, Actual]]) -> list[bool | None]:
    """Guess each case's outcome from its title: what was so of the other case whose title is most like it.

    None where there is no other to go by. Of equally alike ones a fail counts: it is the cheap mistake.
    """
    known = [(likeness.pieces(title), actual) for title, actual in cases]
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
