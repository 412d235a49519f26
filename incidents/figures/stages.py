"""The stamps of one incident and the stages between them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum

REOPENED_WITHIN = timedelta(days=14)


class Stamp(StrEnum):
    """One moment in an incident's life."""

    IMPACT = "impact_start"
    DETECTED = "detected"
    ACKNOWLEDGED = "acknowledged"
    INVESTIGATED = "investigation_started"
    DRAFTED = "draft_ready"
    JUDGED = "verdict"
    DECIDED = "decision"
    MITIGATED = "mitigated"
    CLOSED = "closed"
    REOPENED = "reopened"


# What a person may know better than the machine did. The others are what was done, when it was done.
EDITABLE = (Stamp.IMPACT, Stamp.DETECTED, Stamp.MITIGATED)


class Ended(StrEnum):
    """How an incident counts: each in one group, so that no group makes another look better."""

    OPEN = "open"
    PERSON = "person"
    PASS = "pass"  # noqa: S105 closed by an earned pass alone, no password
    DUPLICATE = "duplicate"
    DRILL = "drill"


class Judged(StrEnum):
    """What the last verdict came to."""

    PASS = "pass"  # noqa: S105 the word of a verdict
    MISSING = "missing"
    CONTRARY = "contrary"
    NO_RULE = "no_rule"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Stage:
    """The time from one stamp to another, and what people call it."""

    name: str
    title: str
    start: Stamp
    end: Stamp


RESOLVE = "resolve"
STAGES: tuple[Stage, ...] = (
    Stage("detect", "Impact to detected", Stamp.IMPACT, Stamp.DETECTED),
    Stage("respond", "Detected to acknowledged by a person", Stamp.DETECTED, Stamp.ACKNOWLEDGED),
    Stage("wait", "Detected to investigation", Stamp.DETECTED, Stamp.INVESTIGATED),
    Stage("draft", "Investigation to draft ready", Stamp.INVESTIGATED, Stamp.DRAFTED),
    Stage("judge", "Detected to verdict", Stamp.DETECTED, Stamp.JUDGED),
    Stage("decide", "Draft ready to decision", Stamp.DRAFTED, Stamp.DECIDED),
    Stage("recover", "Impact to mitigated", Stamp.IMPACT, Stamp.MITIGATED),
    Stage(RESOLVE, "Detected to last closing (MTTR)", Stamp.DETECTED, Stamp.CLOSED),
)


@dataclass(frozen=True, slots=True)
class Counted:
    """One incident as the figures count it."""

    day: date
    ended: Ended
    judged: Judged
    stamps: Mapping[Stamp, datetime] = field(default_factory=dict)
    first_closed_on: date | None = None
    was_reopened: bool = False  # within REOPENED_WITHIN of a closing
    is_comparable: bool = False  # its outcome could contradict its verdict
    is_override: bool = False

    def seconds(self, stage: Stage) -> float | None:
        """Return how long a stage took; None where an end is unknown, below 0 where clocks disagree."""
        start, end = self.stamps.get(stage.start), self.stamps.get(stage.end)
        return None if start is None or end is None else (end - start).total_seconds()
