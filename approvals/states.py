"""The states of an action request and the moves between them; the words of decisions, gates and checks."""

from enum import StrEnum


class State(StrEnum):
    """Where an action request stands."""

    PROPOSED = "proposed"
    APPROVED = "approved"
    EXECUTING = "executing"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    ABORTED = "aborted"
    UNKNOWN = "unknown"
    DENIED = "denied"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    REFUSED = "refused"


# UNKNOWN is left by a person alone; a gate refuses before the claim and aborts after it.
EDGES: frozenset[tuple[State, State]] = frozenset(
    {
        (State.PROPOSED, State.APPROVED),
        (State.PROPOSED, State.DENIED),
        (State.PROPOSED, State.EXPIRED),
        (State.PROPOSED, State.WITHDRAWN),
        (State.APPROVED, State.EXECUTING),
        (State.APPROVED, State.EXPIRED),
        (State.APPROVED, State.REFUSED),
        (State.EXECUTING, State.SUCCEEDED),
        (State.EXECUTING, State.FAILED),
        (State.EXECUTING, State.ABORTED),
        (State.EXECUTING, State.UNKNOWN),
        (State.UNKNOWN, State.SUCCEEDED),
        (State.UNKNOWN, State.FAILED),
    }
)
UNDECIDED = (State.PROPOSED,)
OPEN = (State.PROPOSED, State.APPROVED, State.EXECUTING, State.UNKNOWN)
# While a request stands there, nothing else may be executed on the same target.
LOCKING = (State.EXECUTING, State.UNKNOWN)


class Risk(StrEnum):
    """How much an action may hurt: it decides quorum, step-up and what a gate that can't check does."""

    LOW = "low"
    HIGH = "high"


class Choice(StrEnum):
    """What a person decided."""

    APPROVE = "approve"
    DENY = "deny"


class Verification(StrEnum):
    """What was seen of a write's effect; what could not be seen is unverified, never success."""

    NOT_YET = ""
    VERIFIED = "verified"
    UNVERIFIED = "unverified"


class Answer(StrEnum):
    """What a gate says."""

    OK = "ok"
    BLOCKED = "blocked"
    COULD_NOT_CHECK = "could_not_check"
    SKIPPED_BY_POLICY = "skipped_by_policy"


class Phase(StrEnum):
    """When a gate was asked: for a page, before the claim, or after it and right before the call."""

    SHOWN = "shown"
    BEFORE_CLAIM = "before claim"
    BEFORE_CALL = "before call"
