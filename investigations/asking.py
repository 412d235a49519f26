"""Asking again what a judged investigation lacks, and judging again, without any investigator."""

from dataclasses import replace

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from investigations import models, rulebook
from investigations.demands import ask_all, demands_of, is_early
from investigations.evidence import Asker, entries_of
from investigations.judging import Frozen, freeze, store
from investigations.outcomes import Judgement, NothingToAsk, OnJudged
from investigations.states import State
from toolbox.scope import CallScope
from verdicts.case import CaseUnreadable
from verdicts.demand import Demand
from verdicts.outcomes import Outcome
from verdicts.verdict import verdict


def ask_and_judge(investigation_id: int, *, fact: str | None, by: str, on_judged: OnJudged) -> Judgement:
    """Ask what is missing in the name of `by` and judge again. See services.ask_and_judge."""
    row = judged_row(investigation_id)
    demands = _missing(last_case(row), fact)
    ask = Asker(
        CallScope(caller=by, investigation=row.pk, incident=row.incident_id, is_derived=True),
        lease=None,
        limit=settings.INVESTIGATION_MAX_CALLS,
    )
    findings = ask_all(demands, ask, author="person")
    with transaction.atomic():
        # The UPDATE locks the row: of two people who ask at once, the second judges what both asked.
        if not models.Investigation.objects.filter(pk=row.pk, state=State.JUDGED).update(state=State.JUDGED):
            raise NothingToAsk("This investigation is no longer judged: something else has moved it.")
        last = last_case(row)
        frozen = freeze(
            row,
            last.case.submission,
            (*last.case.added, *findings),
            {**last.entries, **entries_of(row.pk)},  # an answer that was erased since still counts
            now=timezone.now(),
        )
        judgement = store(row, frozen, rulebook.current_rulebook(), actor=by)
        on_judged(judgement)
    return judgement


def judged_row(investigation_id: int) -> models.Investigation:
    """Return the investigation, judged and the newest of its incident; raise NothingToAsk."""
    row = models.Investigation.objects.filter(pk=investigation_id).first()
    if row is None:
        raise NothingToAsk(f"There is no investigation {investigation_id}.")
    if row.state != State.JUDGED:
        raise NothingToAsk(f"This investigation is {row.state}. Facts can be asked once it is judged.")
    if models.Investigation.objects.filter(incident_id=row.incident_id, pk__gt=row.pk).exists():
        raise NothingToAsk("A newer investigation of this incident exists. Ask there.")
    return row


def last_case(row: models.Investigation) -> Frozen:
    """Return the case that was judged last; raise NothingToAsk where it can't be read."""
    try:
        return Frozen.stored(row.cases.latest("pk"))
    except CaseUnreadable as error:
        raise NothingToAsk(f"The stored case can't be judged again. {error}") from error


def _missing(last: Frozen, fact: str | None) -> list[Demand]:
    """Return the demands to ask: one named fact that does not hold, or all that are unanswerable."""
    book, now = rulebook.current_rulebook(), timezone.now()
    hypothesis = last.case.submission.hypothesis
    demands = demands_of(hypothesis, last.subject, book)
    if not demands:
        raise NothingToAsk(f"No rule that is loaded asks anything for the hypothesis {hypothesis!r}.")
    # As it would be judged now: what was asked too long ago is missing, too.
    case = replace(last.case, judged_at=max(now, last.case.judged_at))
    outcomes = {each.name: each.outcome for each in verdict(case, last.subject, last.entries, book).facts}
    if fact is None:
        wanted = [each for each in demands if outcomes.get(each.fact) is Outcome.UNANSWERABLE]
    else:
        wanted = [each for each in demands if each.fact == fact and outcomes.get(fact) is not Outcome.HOLDS]
    if not wanted:
        raise NothingToAsk(f"Under {hypothesis}, {fact or 'no fact'} is missing an answer.")
    ripe = [each for each in wanted if not is_early(each, now)]
    if not ripe:
        raise NothingToAsk(f"An answer to {wanted[0].fact} can earn nothing before {wanted[0].not_before}.")
    return ripe
