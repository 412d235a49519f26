"""What people can be told of, and in which words. Pure."""

from collections.abc import Mapping, Sequence
from enum import StrEnum


class Event(StrEnum):
    """One kind of thing that people are told of, as webhooks name it."""

    NEEDS_PERSON = "incident.needs_person"
    PROPOSED = "request.proposed"
    EXPIRING = "request.expiring"
    EXPIRED = "request.expired"
    EXECUTED = "request.executed"
    FAILED = "request.failed"
    UNKNOWN = "request.unknown"
    GLASS = "glass.broken"
    MENTIONED = "note.mentioned"
    TEST = "notice.test"


class Kind(StrEnum):
    """How a route reaches people."""

    ON_CALL = "on-call"
    TEAM = "team"
    EMAIL = "email"
    WEBHOOK = "webhook"
    PERSON = "person"


class MessageState(StrEnum):
    """Where a message stands."""

    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"


WORDS: Mapping[Event, str] = {
    Event.NEEDS_PERSON: "an incident needs a person",
    Event.PROPOSED: "a write waits for approval",
    Event.EXPIRING: "a write is about to expire undecided",
    Event.EXPIRED: "a write expired",
    Event.EXECUTED: "a write was executed",
    Event.FAILED: "a write failed, or was refused by a gate",
    Event.UNKNOWN: "nobody knows what became of a write",
    Event.GLASS: "somebody broke the glass",
    Event.MENTIONED: "somebody named you in a note",
    Event.TEST: "a test message",
}
CHOOSABLE: Sequence[Event] = tuple(event for event in Event if event is not Event.TEST)
# What concerns one person is theirs alone to choose: no team and no program hears of it.
OF_A_PERSON: frozenset[Event] = frozenset({Event.MENTIONED})
# These wait for somebody, so they are told again and stop being told once somebody came.
WAITING: frozenset[Event] = frozenset({Event.NEEDS_PERSON, Event.PROPOSED, Event.UNKNOWN})
SEVERITIES: Sequence[str] = ("critical", "high", "error", "warning", "medium", "low", "info")


def rank_of(severity: str) -> int:
    """Return 0 for the worst severity; a word that nobody knows comes last."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)
