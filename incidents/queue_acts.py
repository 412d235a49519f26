"""What is done with incidents from the queue alone: snooze, wake, set the severity."""

from datetime import datetime, timedelta

from accounts.models import User
from accounts.services import actor_name
from assay_core.instants import as_text
from incidents import moves
from incidents.models import Incident
from incidents.moves import Asked, MoveRefused
from incidents.queue_wants import SEVERITIES
from incidents.states import Move

LONGEST = timedelta(days=30)
_AT_ONCE = 200


def snooze(incident_id: int, *, by: User, until: datetime, version: int, now: datetime) -> Incident:
    """Put the incident aside until a time. Raises MoveRefused."""
    asked = Asked(Move.SNOOZE, incident_id, actor_name(by), now, version)
    with moves.transaction_of(asked):
        if not now < until <= now + LONGEST:
            raise MoveRefused(f"Snooze for some time, at most {LONGEST.days} days: an incident comes back.")
        return moves.make_or_refuse(asked, {"until": as_text(until)}, snoozed_until=until)


def wake(incident_id: int, *, by: User, version: int, now: datetime) -> Incident:
    """Bring a snoozed incident back at once. Raises MoveRefused."""
    asked = Asked(Move.WAKE, incident_id, actor_name(by), now, version)
    with moves.transaction_of(asked):
        if not Incident.objects.filter(pk=incident_id, snoozed_until__isnull=False).exists():
            raise MoveRefused(f"Incident {incident_id} is not snoozed.")
        return moves.make_or_refuse(asked, {}, snoozed_until=None)


def grade(incident_id: int, *, by: User, severity: str, version: int, now: datetime) -> Incident:
    """Set the severity as a person sees it. Raises MoveRefused."""
    asked = Asked(Move.GRADE, incident_id, actor_name(by), now, version)
    with moves.transaction_of(asked):
        if severity not in SEVERITIES:
            raise MoveRefused(
                f"There is no severity {severity[:20]!r}. Choose one of {', '.join(SEVERITIES)}."
            )
        return moves.make_or_refuse(asked, {"severity": severity}, severity=severity)


def wake_all(now: datetime) -> int:
    """Bring back what was snoozed until now; return how many."""
    due = Incident.objects.filter(shelf="snoozed", snoozed_until__lte=now).values_list("pk", "version")
    woken = 0
    for number, version in due[:_AT_ONCE]:
        asked = Asked(Move.WAKE, number, "sweeper", now, version)
        with moves.transaction_of(asked):
            woken += moves.make(asked, {}, snoozed_until=None)
    return woken
