"""A pass that closes its incident by itself: for rules where an administrator has said so, and no other.

One that is drawn for an audit waits for its answer: it closes once somebody found it right.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.services import actor_name
from audit import writing
from incidents import closing
from incidents.closing import Words
from incidents.figures import audits
from incidents.figures.audits import Passed
from incidents.models import Incident, PassAudit, SelfClosing
from incidents.moves import Asked
from incidents.states import MOVES, Move
from investigations import rulebook
from investigations.models import Draft, Verdict
from investigations.outcomes import Judgement
from toolbox.values import is_storable
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
    rule = judgement.hypothesis
    leave = _leave(rule) if judgement.passed else None
    if leave is None:
        return False
    incident = _untouched(judgement.incident)
    if incident is None:
        return False
    passed = Passed(incident, judgement.verdict, rule, leave.rule_version)
    if audits.draw_for(passed, closer=None, now=judgement.judged_at):
        return False
    _close(passed, "", now=judgement.judged_at)
    return True


def answer(audit: int, *, by: User, outcome: str, because: str, now: datetime) -> PassAudit:
    """Store what a reviewer found, as `audits.answer` does, and close what waited for it and is right."""
    with transaction.atomic():
        row = audits.answer(audit, by=by, outcome=outcome, because=because, now=now)
        leave = _leave(row.rule) if row.was_right else None
        incident = _untouched(row.incident_id) if leave and leave.rule_version == row.rule_version else None
        last = Verdict.objects.filter(investigation__incident_id=row.incident_id).order_by("-pk").first()
        if incident is not None and last is not None and last.pk == row.verdict_id:
            passed = Passed(incident, row.verdict_id, row.rule, row.rule_version)
            _close(passed, " Its audit found it right.", now=now)
    return row


def _leave(rule: str) -> SelfClosing | None:
    """The leave of a rule, where it is for the version that is loaded."""
    leave, spec = standing(rule), rulebook.current_rulebook().rules.get(rule)
    return leave if leave is not None and spec is not None and spec.version == leave.rule_version else None


def _untouched(number: int) -> Incident | None:
    """The incident, held until the end of the transaction, where it has its pass and nobody works on it."""
    incident = Incident.objects.select_for_update(no_key=True, of=("self",)).get(pk=number)
    if not incident.verdict_passed or incident.assignee_id or incident.acknowledged_at:
        return None
    is_there = incident.state in MOVES[Move.CLOSE][0] and bool(_outcome(incident.kind))
    return incident if is_there else None


def _close(passed: Passed, audited: str, *, now: datetime) -> None:
    asked = Asked(Move.CLOSE, passed.incident.pk, f"rule:{passed.rule}", now)
    draft = Draft.objects.filter(verdict=passed.verdict).values_list("text", flat=True).first() or ""
    reason = f"It earned its pass by version {passed.version} of {passed.rule}, which may close by itself."
    sent = draft[: closing.LONGEST["answer"]]
    words = Words(_outcome(passed.incident.kind), sent, f"{reason}{audited}", None)
    closing.close(asked, words, None, by_rule=passed.rule)


def _outcome(kind: str) -> str:
    """The one outcome of a kind that a pass speaks for: a claim is refused, anything else was harmless."""
    said = [outcome for outcome, says in TABLE.get(kind, {}).items() if says is Actual.PASS]
    return said[-1] if said else ""


def _reason(because: str) -> str:
    said = because.strip()
    if not said or len(said) > _BECAUSE_MAX or not is_storable(said):
        raise LeaveRefused(f"Say why, in 1 to {_BECAUSE_MAX} characters.")
    return said
