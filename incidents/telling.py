"""People are told when an incident needs one, and no more once somebody came."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Max

from incidents.models import Incident, PassAudit
from incidents.states import Move, State
from notices import standings, telling
from notices.events import Event

ABOUT = "incident"
_KEPT_BACK = "Its pass is being audited; what was decided since stands on its page."
_UNSURE = frozenset({Move.JUDGE, Move.GIVE_UP, Move.OVERTAKE})


def after(move: Move, incident_id: int, values: Mapping[str, Any], now: datetime) -> None:
    """Tell people, or end what they were told, as a move has left the incident. In the move's transaction."""
    if move in (Move.CLOSE, Move.REOPEN) or (move is Move.JUDGE and values.get("verdict_passed")):
        telling.end(ABOUT, incident_id, now=now)
    elif move in _UNSURE:
        incident = Incident.objects.get(pk=incident_id)
        news = telling.News(
            event=Event.NEEDS_PERSON,
            about=ABOUT,
            about_id=incident.pk,
            title=f"#{incident.pk} {incident.title}",
            words=_KEPT_BACK if _is_audited(incident_id) else incident.verdict_reason,
            path=f"/incidents/{incident.pk}/",
            team_id=incident.team_id,
            severity=incident.severity,
        )
        telling.tell(news, now=now)


def _is_audited(incident_id: int) -> bool:
    """A message may reach whoever is to judge the pass without knowing what was decided."""
    return PassAudit.objects.filter(incident=incident_id, answered_at=None).exists()


def standing(incident_id: int, now: datetime) -> standings.Standing:
    """Say whether an incident still waits for a person."""
    incident = Incident.objects.filter(pk=incident_id).first()
    if incident is None:
        return standings.Standing("there is no such incident any more")
    if incident.state != State.REVIEW:
        return standings.Standing(f"the incident is {incident.state}")
    if incident.verdict_passed:
        return standings.Standing("it has earned a pass since")
    # An acknowledgement from before the last closing says nothing about what came after.
    closed_at = incident.resolutions.aggregate(last=Max("created_at"))["last"]
    if incident.acknowledged_at and (closed_at is None or incident.acknowledged_at > closed_at):
        return standings.Standing("somebody acknowledged it")
    return standings.Standing(until=incident.snoozed_until)
