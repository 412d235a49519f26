"""The states of an investigation and the moves between them."""

from enum import StrEnum


class State(StrEnum):
    """Where an investigation stands."""

    WAITING = "waiting"
    QUEUED = "queued"
    RUNNING = "running"
    JUDGED = "judged"
    FAILED = "failed"
    EXHAUSTED = "exhausted"
    STOPPED = "stopped"


EDGES: frozenset[tuple[State, State]] = frozenset(
    {
        (State.WAITING, State.QUEUED),
        (State.WAITING, State.STOPPED),
        (State.QUEUED, State.RUNNING),
        (State.QUEUED, State.STOPPED),
        (State.RUNNING, State.RUNNING),
        (State.RUNNING, State.QUEUED),
        (State.RUNNING, State.WAITING),
        (State.RUNNING, State.JUDGED),
        (State.RUNNING, State.FAILED),
        (State.RUNNING, State.EXHAUSTED),
        (State.RUNNING, State.STOPPED),
        (State.JUDGED, State.JUDGED),
    }
)
OPEN = (State.WAITING, State.QUEUED, State.RUNNING)


class TroubleKind(StrEnum):
    """Why a fact could not be answered."""

    MISSING = "missing"
    MISMATCH = "mismatch"
    UNANSWERED = "unanswered"


class Asking(StrEnum):
    """Where a person's question stands."""

    QUEUED = "queued"
    RUNNING = "running"
    ANSWERED = "answered"
    FAILED = "failed"
    STOPPED = "stopped"
