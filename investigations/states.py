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


class StepKind(StrEnum):
    """What one step of a model's run is."""

    OPENING = "opening"  # the prompt and the incident
    REPLY = "reply"  # what the model answered
    ANSWER = "answer"  # what one of its calls brought
    REPAIR = "repair"  # our code told it what is wrong with its submission
    MISSING = "missing"  # our code told it which facts nobody has asked
    FEEDBACK = "feedback"  # anything else that our code told it
    NOTE = "note"  # what a person told it


class RunResult(StrEnum):
    """How a model's run came to its submission; empty for a run without a model."""

    FIRST_PASS = "first_pass"  # noqa: S105 no password: the first submission was valid
    REPAIRED = "repaired"
    FALLBACK = "fallback"
    REFUSED = "refused"
    CUT_OFF = "cut_off"
    ENDPOINT_DOWN = "endpoint_down"


class CitationState(StrEnum):
    """What is known of an id that a draft names."""

    VERIFIED = "verified"
    MISSING = "missing"
    UNCHECKED = "unchecked"


class RubricResult(StrEnum):
    """How a grading ended. Only needs_revision lets the agent write again."""

    SATISFIED = "satisfied"
    NEEDS_REVISION = "needs_revision"
    MAX_ITERATIONS_REACHED = "max_iterations_reached"
    FAILED = "failed"
    GRADER_ERROR = "grader_error"


class Purpose(StrEnum):
    """What a model is spoken to for."""

    INVESTIGATOR = "investigator"
    CRITIC = "critic"
    GRADER = "grader"
    ASK = "ask"
    CANDIDATE = "candidate"
    CLASSIFIER = "classifier"
    PROBE = "probe"


class Taken(StrEnum):
    """How an endpoint came to serve a purpose."""

    FIRST = "first"  # the first that was set: never drilled
    DRILL = "drill"
    OVERRIDE = "override"  # an administrator's word, for a limited time


class Exchanged(StrEnum):
    """How an exchange with a model ended: as its reply finished, or without one. SENT is open still."""

    SENT = "sent"
    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    CUT_OFF = "cut_off"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    DOWN = "down"
