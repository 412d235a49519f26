"""What came in under an incident's key and takes a pass away: another episode, or another thing."""

from datetime import datetime

from incidents import moves
from incidents.models import Incident
from incidents.moves import Asked
from incidents.states import Event, Move

AGAIN = "It fired again after it was judged: the pass was earned for the episode before."
ANOTHER = "The sender has sent something else under the same key since: the pass says nothing of that."


def overtake(incident: Incident, reason: str, *, actor: str, now: datetime) -> None:
    """Take away a pass that was earned before this came in: it says nothing of what came since."""
    if not incident.verdict_passed:
        return
    moves.make(
        Asked(Move.OVERTAKE, incident.pk, actor, now),
        {"reason": reason},
        verdict_passed=None,
        verdict_reason=reason,
    )


def came_meanwhile(incident: Incident, judged_from: datetime) -> str:
    """Return why a pass that is about to be stored was overtaken while its run went on, or nothing.

    `judged_from` is the start of the episode that the run asked about. Call it with the incident's row
    locked: what is folded later finds the pass and takes it away itself.
    """
    if incident.episode_at > judged_from:
        return AGAIN
    others = incident.signals.filter(event=Event.FIRING).exclude(labels=incident.labels)
    if incident.kind == "claim":
        others |= incident.signals.filter(event=Event.FIRING).exclude(identifiers=incident.identifiers)
    return ANOTHER if others.exists() else ""
