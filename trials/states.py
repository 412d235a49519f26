"""What evaluations, their runs and the rows of golden sets can be."""

from enum import StrEnum


class RunState(StrEnum):
    """Where one run of an evaluation stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    DOWN = "down"  # the endpoint gave no reply: it is tried again, and leaves every denominator
    LEFT_OUT = "left_out"  # its case can't be run any more as it was planned


UNFINISHED = (RunState.WAITING, RunState.RUNNING, RunState.DOWN)


class Source(StrEnum):
    """Where the answer to one call of a run came from."""

    RECORDED = "recorded"
    NOT_RECORDED = "not_recorded"
    LIVE = "live"  # asked now, of the live tool
    REFUSED = "refused"  # as production would refuse it


class Stopped(StrEnum):
    """Why an evaluation ended before its last run."""

    CAP = "cap"  # the next exchange could pass the spending cap
    DOWN = "down"  # the endpoint gave no reply, again and again
    INTERRUPTED = "interrupted"


class Origin(StrEnum):
    """Where a golden row comes from. Scores are given with and without those of overrides."""

    WRITTEN = "written"
    CLOSED = "closed"
    OVERRIDE = "override"


class Right(StrEnum):
    """Whose answer to a row a person holds to be right, whatever the golden label says."""

    BASELINE = "baseline"
    CANDIDATE = "candidate"
    BOTH = "both"
    NEITHER = "neither"


class Schedule(StrEnum):
    """What runs by itself."""

    NIGHTLY = "nightly"  # a small evaluation
    WEEKLY = "weekly"  # a drill


class ScheduledState(StrEnum):
    """Where one of them stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    SKIPPED = "skipped"  # nothing was asked of a model, or nothing came back
    STOPPED = "stopped"  # it ended before its last run
