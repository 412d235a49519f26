"""What comes in under an incident's key and takes a pass away: an episode, another thing, more words."""

from datetime import datetime

from incidents import moves
from incidents.models import Incident
from incidents.moves import Asked
from incidents.states import Event, Move

AGAIN = "It fired again after it was judged: the pass was earned for the episode before."
MORE = "The claimant has written something else since: the pass says nothing of that."
EDITED = "The issue was edited since: the pass says nothing of what it says now."
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


def came_meanwhile(incident: Incident, judged_from: datetime, *, opened_at: datetime | None = None) -> str:
    """Return why a pass that is about to be stored was overtaken while its run went on, or nothing.

    `judged_from` is the start of the episode that the run asked about, `opened_at` when it was opened, if it
    is not the incident's first. Call it with the incident's row locked: what is folded later finds the pass
    and takes it away itself.
    """
    if incident.episode_at > judged_from:
        return AGAIN
    others = incident.signals.filter(event=Event.FIRING).exclude(labels=incident.labels)
    if incident.kind == "claim":
        others |= incident.signals.filter(event=Event.FIRING).exclude(identifiers=incident.identifiers)
    if others.exists():
        return ANOTHER
    return MORE if incident.kind == "claim" and _said_more(incident, opened_at) else ""


def says_more(incident: Incident, title: str, text: str) -> bool:
    """Whether a claim's new words were not among its words so far: a repeated sending says nothing new."""
    said = incident.signals.filter(event=Event.FIRING)
    return said.exists() and not said.filter(title=title, text=text).exists()


def was_edited(incident: Incident, title: str, text: str) -> bool:
    """Whether an issue's words differ from those that were read last."""
    last = incident.signals.order_by("-pk").values_list("title", "text").first()
    return last is not None and last != (title, text)


def _said_more(incident: Incident, opened_at: datetime | None) -> bool:
    said = incident.signals.filter(event=Event.FIRING)
    first = said.order_by("pk").first()
    if first is None:
        return False
    more = said.exclude(title=first.title, text=first.text)
    # Whoever had it judged anew has seen what had come by then.
    return (more.filter(received_at__gt=opened_at) if opened_at else more).exists()
