"""A pass that closes its incident by itself: for rules where an administrator has said so, and no other."""

from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.services import actor_name
from audit import writing
from incidents import closing
from incidents.closing import Words
from incidents.models import Incident, SelfClosing
from incidents.moves import Asked
from incidents.states import MOVES, Move
from investigations import rulebook
from investigations.models import Draft
from investigations.outcomes import Judgement
from verdicts.closings import TABLE, Actual

_BECAUSE_MAX = 300


class LeaveRefused(Exception):
    """A rule can't be let close incidents, or no longer be kept from it; the message says why."""


def standing(rule: str) -> SelfClosing | None:
    """Return the leave that stands for a rule; it counts for the rule's version that it names."""
    return SelfClosing.objects.filter(rule=rule, ended_at=None).first()


def history(rule: str) -> Sequence[SelfClosing]:
    """Return the leaves that were ended, the newest first."""
    return list(SelfClosing.objects.filter(rule=rule, ended_at__isnull=False).order_by("-pk")[:20])


def allow(rule: str, *, because: str, by: User, now: datetime) -> SelfClosing:
    """Let passes of the rule's present version close by themselves. Raises LeaveRefused."""
    why, spec = _reason(because), rulebook.current_rulebook().rules.get(rule)
    if spec is None:
        raise LeaveRefused(f"There is no rule {rule} that is loaded.")
    try:
        with transaction.atomic():
            SelfClosing.objects.filter(rule=rule, ended_at=None).exclude(rule_version=spec.version).update(
                ended_at=now, ended_by=actor_name(by)
            )
            leave = SelfClosing.objects.create(
                rule=rule, rule_version=spec.version, because=why, made_by=actor_name(by), made_at=now
            )
            told = {"rule": rule, "version": spec.version, "reason": why}
            writing.write("rule.may_close", told, actor=actor_name(by))
    except IntegrityError:
        raise LeaveRefused(f"Passes of {rule} close by themselves already.") from None
    return leave


def end(rule: str, *, because: str, by: User, now: datetime) -> None:
    """End the leave from the very next verdict on. Raises LeaveRefused where none stands."""
    why = _reason(because)
    with transaction.atomic():
        ended = SelfClosing.objects.filter(rule=rule, ended_at=None).update(
            ended_at=now, ended_by=actor_name(by)
        )
        if not ended:
            raise LeaveRefused(f"Passes of {rule} do not close by themselves.")
        writing.write("rule.may_not_close", {"rule": rule, "reason": why}, actor=actor_name(by))


def close_if_let(judgement: Judgement) -> bool:
    """Close the incident of a pass, in the transaction that stores it, where its rule has leave.

    Whatever took the pass away meanwhile keeps it open, and a person's hand on it does: whoever has taken
    it is not to find it gone. Returns whether it was closed.
    """
    leave = standing(judgement.hypothesis) if judgement.passed else None
    spec = rulebook.current_rulebook().rules.get(judgement.hypothesis)
    if leave is None or spec is None or spec.version != leave.rule_version:
        return False
    incident = Incident.objects.select_for_update(no_key=True, of=("self",)).get(pk=judgement.incident)
    outcome = _outcome(incident.kind)
    if not incident.verdict_passed or incident.assignee_id or incident.acknowledged_at or not outcome:
        return False
    rule = judgement.hypothesis
    asked = Asked(Move.CLOSE, incident.pk, f"rule:{rule}", judgement.judged_at)
    if incident.state not in MOVES[Move.CLOSE][0]:
        return False
    answer = Draft.objects.filter(pk=judgement.draft).values_list("text", flat=True).first() or ""
    reason = f"It earned its pass by version {leave.rule_version} of {rule}, which may close by itself."
    words = Words(outcome, answer[: closing.LONGEST["answer"]], reason, None)
    closing.close(asked, words, None, by_rule=rule)
    return True


def _outcome(kind: str) -> str:
    """The one outcome of a kind that a pass speaks for: a claim is refused, anything else was harmless."""
    said = [outcome for outcome, says in TABLE.get(kind, {}).items() if says is Actual.PASS]
    return said[-1] if said else ""


def _reason(because: str) -> str:
    said = because.strip()
    if not said or len(said) > _BECAUSE_MAX:
        raise LeaveRefused(f"Say why, in 1 to {_BECAUSE_MAX} characters.")
    return said
