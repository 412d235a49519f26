"""A person speaks against a verdict, pointing at an entry of the run, or withdraws it; judged at once."""

from dataclasses import dataclass, replace

from django.db import transaction
from django.utils import timezone

from investigations import models, rulebook
from investigations.asking import judged_row, last_case
from investigations.evidence import entries_of
from investigations.judging import freeze, store
from investigations.outcomes import Judgement, NothingToAsk, OnJudged
from investigations.states import State
from toolbox.values import is_storable
from verdicts.case import Finding
from verdicts.frozen import Frozen

#: Under this name a person's word stands among the refutations of a verdict.
NAME = "a_person"
WORDS_MAX = 500


class RefutationRefused(Exception):
    """It was not stored; the message says why, for a person."""


@dataclass(frozen=True, slots=True)
class Word:
    """What a person says of one entry: why it speaks against a pass, or why it no longer does."""

    entry: int
    because: str
    withdraws: bool = False


def refute(investigation_id: int, word: Word, *, by: str, on_judged: OnJudged) -> Judgement:
    """Store the word and judge again, in one transaction. Raises RefutationRefused.

    What stood before is kept in the earlier case: withdrawing is a judgement of its own.
    """
    because = _checked(word.because)
    try:
        row = judged_row(investigation_id)
        with transaction.atomic():
            # As in asking: the UPDATE locks the row, and the second of two sees what the first stored.
            locked = models.Investigation.objects.filter(pk=row.pk, state=State.JUDGED)
            if not locked.update(state=State.JUDGED):
                raise RefutationRefused("This investigation has moved on. Load the page again.")
            frozen = _with(row, last_case(row), replace(word, because=because), by)
            judgement = store(row, frozen, rulebook.current_rulebook(), actor=by)
            on_judged(judgement)
            judged_row(investigation_id)  # the incident is locked now: nobody has begun anew meanwhile
    except NothingToAsk as error:
        raise RefutationRefused(str(error)) from error
    return judgement


def _with(row: models.Investigation, last: Frozen, word: Word, by: str) -> Frozen:
    entries = {**last.entries, **entries_of(row.pk)}
    frozen = freeze(row, last.case.submission, last.case.added, entries, now=timezone.now())
    held = frozen.case.refutations
    stands = any(each.entry == word.entry for each in held)
    if word.withdraws:
        if not stands:
            raise RefutationRefused(f"Nothing that a person said of entry {word.entry} stands.")
        after = tuple(each for each in held if each.entry != word.entry)
    else:
        if word.entry not in dict(frozen.case.entries):
            raise RefutationRefused(
                f"Entry {word.entry} is no answer of this run. Choose one of its answers."
            )
        if stands:
            raise RefutationRefused(f"Entry {word.entry} speaks against it already.")
        note = f"{by.removeprefix('person:')}: {word.because}"
        after = (*held, Finding(NAME, word.entry, note=note, author="person"))
    return replace(frozen, case=replace(frozen.case, refutations=after))


def _checked(because: str) -> str:
    words = because.strip()
    if not words or len(words) > WORDS_MAX:
        raise RefutationRefused(f"Say why, in 1 to {WORDS_MAX} characters.")
    if not is_storable(words):
        raise RefutationRefused("The reason holds a character that cannot be stored. Type it again.")
    return words
