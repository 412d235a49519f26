"""One run, from claim to verdict."""

import json
from contextlib import suppress

from django.conf import settings
from django.db import Error, transaction
from django.db.models.functions import Now
from django.utils import timezone

from investigations import leases, models, rulebook
from investigations.demands import ask_all, demands_of, is_asked, is_early
from investigations.evidence import Asker, entries_of
from investigations.judging import freeze, store
from investigations.leases import Lease
from investigations.outcomes import (
    Ending,
    Judgement,
    LeaseLost,
    OnFailed,
    OnJudged,
    RunOutcome,
)
from investigations.playbook import Gathered, investigate
from investigations.states import State
from toolbox.scope import CallScope
from verdicts.case import Finding, Subject


def run(investigation_id: int, *, on_judged: OnJudged, on_failed: OnFailed) -> RunOutcome:
    """Run one investigation if it can be claimed. See services.run."""
    lease = leases.claim(investigation_id)
    if lease is None:
        failure = leases.give_up(investigation_id, on_failed, now=timezone.now())
        if failure is not None:
            return RunOutcome(Ending.FAILED, failure.reason, failure=failure)
        return RunOutcome(Ending.NOT_CLAIMED, "judged already, held by another worker, or unknown")
    try:
        return _attempt(lease, on_judged)
    except LeaseLost as lost:
        return RunOutcome(Ending.LEASE_LOST, str(lost))
    except Exception as error:
        # With the database gone as well the lease runs out by itself, and the sweeper sends again.
        with suppress(Error):
            leases.give_back(lease, _in_words(error))
        raise


def _in_words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:500]


def _attempt(lease: Lease, on_judged: OnJudged) -> RunOutcome:
    row = models.Investigation.objects.get(pk=lease.investigation)
    subject = Subject.from_plain(json.loads(row.subject))
    ask = Asker(
        CallScope(caller=lease.actor, investigation=row.pk, incident=row.incident_id, is_derived=True),
        lease=lease,
        limit=settings.INVESTIGATION_MAX_CALLS,
    )
    gathered = investigate(
        subject, rulebook.current_rulebook(), ask, now=timezone.now(), earlier=entries_of(row.pk)
    )
    if gathered.wait_until is not None:
        reason = f"Waits for {gathered.waits_for}: an earlier answer to it can earn nothing."
        leases.put_off(lease, gathered.wait_until, reason)
        return RunOutcome(Ending.WAITING, reason, due_at=gathered.wait_until)
    added = _top_up(row, subject, gathered, ask)
    return RunOutcome(Ending.JUDGED, judgement=_judge(row, lease, gathered, added, on_judged))


def _top_up(
    row: models.Investigation, subject: Subject, gathered: Gathered, ask: Asker
) -> tuple[Finding, ...]:
    """Ask each fact of the submitted hypothesis that nobody asked, with the rule's own arguments."""
    demands = demands_of(gathered.submission.hypothesis, subject, rulebook.current_rulebook())
    now, entries = timezone.now(), entries_of(row.pk)
    missing = [each for each in demands if not is_asked(each, entries) and not is_early(each, now)]
    return ask_all(missing, ask.on_behalf_of("rule"), author="rule")


def _judge(
    row: models.Investigation,
    lease: Lease,
    gathered: Gathered,
    added: tuple[Finding, ...],
    on_judged: OnJudged,
) -> Judgement:
    with transaction.atomic():
        moved = models.Investigation.objects.filter(leases.held(lease)).update(
            state=State.JUDGED, lease_until=None, finished_at=Now(), reason=gathered.note
        )
        if not moved:
            raise LeaseLost(f"attempt {lease.attempt} of investigation {lease.investigation} is over")
        frozen = freeze(row, gathered.submission, added, entries_of(row.pk), now=timezone.now())
        judgement = store(row, frozen, rulebook.current_rulebook(), actor=lease.actor)
        on_judged(judgement)
    return judgement
