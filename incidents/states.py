"""The states of deliveries and incidents, and the moves between them."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class DeliveryState(StrEnum):
    """Where a delivery stands."""

    RECEIVED = "received"
    FOLDED = "folded"
    PARKED = "parked"


class Condition(StrEnum):
    """How much of a delivery could be read."""

    WHOLE = "whole"
    PARTIAL = "partial"
    UNREADABLE = "unreadable"
    EMPTY = "empty"


class Event(StrEnum):
    """What a signal says."""

    FIRING = "firing"
    RESOLVED = "resolved"
    COMMENT = "comment"


class Effect(StrEnum):
    """What a signal did when it was folded."""

    OPENED = "opened"
    REPEATED = "repeated"
    RECOVERED = "recovered"
    REFIRED = "refired"
    RESOLVED_ONLY = "resolved-only"
    STALE = "stale"


class Origin(StrEnum):
    """Where an identifier comes from."""

    SENDER = "sender"
    PATTERN = "pattern"
    PERSON = "person"
    MODEL = "model"


class State(StrEnum):
    """Where an incident stands."""

    OPEN = "open"
    INVESTIGATING = "investigating"
    REVIEW = "review"
    CLOSED = "closed"


class Move(StrEnum):
    """What changes an incident's state, by name."""

    TAKE = "take"
    JUDGE = "judge"
    GIVE_UP = "give_up"
    CLOSE = "close"
    REOPEN = "reopen"
    ACKNOWLEDGE = "acknowledge"
    ASSIGN = "assign"
    ASK = "ask"
    INVESTIGATE = "investigate_again"
    REFUTE = "speak_against"
    WITHDRAW = "withdraw_what_was_said"
    IDENTIFY = "give_an_identifier"
    OVERTAKE = "take_the_pass_away"
    EDIT = "edit_the_draft"
    SNOOZE = "snooze"
    WAKE = "wake"
    GRADE = "set_the_severity"
    UNDO = "undo"


# From where a move may start, and where it ends; None where it leaves the state as it is.
MOVES: Mapping[Move, tuple[frozenset[State], State | None]] = MappingProxyType(
    {
        Move.TAKE: (frozenset({State.OPEN}), State.INVESTIGATING),
        Move.JUDGE: (frozenset({State.INVESTIGATING, State.REVIEW}), State.REVIEW),
        Move.GIVE_UP: (frozenset({State.INVESTIGATING}), State.REVIEW),
        Move.CLOSE: (frozenset({State.OPEN, State.INVESTIGATING, State.REVIEW}), State.CLOSED),
        Move.REOPEN: (frozenset({State.CLOSED}), State.OPEN),
        Move.ACKNOWLEDGE: (frozenset({State.OPEN, State.INVESTIGATING, State.REVIEW}), None),
        Move.ASSIGN: (frozenset({State.OPEN, State.INVESTIGATING, State.REVIEW}), None),
        Move.ASK: (frozenset({State.REVIEW}), None),
        Move.INVESTIGATE: (frozenset({State.REVIEW}), State.OPEN),
        Move.REFUTE: (frozenset({State.REVIEW}), None),
        Move.WITHDRAW: (frozenset({State.REVIEW}), None),
        Move.IDENTIFY: (frozenset({State.OPEN, State.INVESTIGATING, State.REVIEW}), None),
        Move.OVERTAKE: (frozenset({State.REVIEW}), None),
        Move.EDIT: (frozenset({State.OPEN, State.INVESTIGATING, State.REVIEW}), None),
        Move.SNOOZE: (frozenset({State.OPEN, State.INVESTIGATING, State.REVIEW}), None),
        Move.WAKE: (frozenset({State.OPEN, State.INVESTIGATING, State.REVIEW}), None),
        Move.GRADE: (frozenset({State.OPEN, State.INVESTIGATING, State.REVIEW}), None),
        Move.UNDO: (frozenset(State), None),
    }
)


class Outcome(StrEnum):
    """What a person decided at the end."""

    HARMLESS = "harmless"
    FIXED = "real and fixed"
    HANDED_OVER = "real and handed over"
    DUPLICATE = "duplicate of"
    NOT_REPRODUCIBLE = "not reproducible"
    CLAIM_UPHELD = "claim upheld"
    CLAIM_REFUSED = "claim refused"
