"""The states of deliveries and incidents, and the moves between them."""

from enum import StrEnum


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


class State(StrEnum):
    """Where an incident stands."""

    OPEN = "open"
    INVESTIGATING = "investigating"
    REVIEW = "review"
    CLOSED = "closed"


EDGES: frozenset[tuple[State, State]] = frozenset(
    {
        (State.OPEN, State.INVESTIGATING),
        (State.INVESTIGATING, State.REVIEW),
        (State.INVESTIGATING, State.OPEN),
        (State.REVIEW, State.INVESTIGATING),
        (State.OPEN, State.CLOSED),
        (State.INVESTIGATING, State.CLOSED),
        (State.REVIEW, State.CLOSED),
        (State.CLOSED, State.OPEN),
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
