"""What a page shows of an investigation, as plain frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class FactLine:
    """One fact of the judged rule: what it asks, how it ended and on which entry."""

    name: str
    sentence: str
    outcome: str  # holds | fails | unanswerable
    reason: str
    tool: str
    demanded: Mapping[str, Any] | None
    entry: int | None
    source: str  # file:line of the check, "" when the rule is no longer loaded
    can_ask: bool  # "ask it now" may change it


@dataclass(frozen=True, slots=True)
class RefutationLine:
    """One refutation of the judged rule, or a person's: whether it speaks against a pass."""

    name: str
    sentence: str
    outcome: str  # fires | silent | unanswerable
    reason: str
    entry: int | None
    source: str


@dataclass(frozen=True, slots=True)
class EntryLine:
    """One tool call of the run."""

    id: int
    tool: str
    arguments: Mapping[str, Any]
    status: str
    reason: str
    called_at: datetime
    asked_by: str


@dataclass(frozen=True, slots=True)
class CitationLine:
    """One finding of the submission and whether its citation was accepted."""

    fact: str
    entry: int
    accepted: bool
    reason: str


@dataclass(frozen=True, slots=True)
class HeldLine:
    """What a person said against a pass, and the entry that they pointed at."""

    entry: int
    note: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the draft: plain text, or a citation when `entry` is set.

    `verified` says that the entry belongs to the judged case; a page links only those.
    """

    text: str
    entry: int | None = None
    verified: bool = False


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """One verdict in one line."""

    id: int
    passed: bool
    hypothesis: str
    rule_sentence: str
    rule_version: int | None
    reason: str
    deciding: str
    rulebook_digest: str
    case_digest: str
    judged_at: datetime


@dataclass(frozen=True, slots=True)
class Story:
    """All that a page shows of one investigation. `verdict` is None until it is judged."""

    investigation: int
    incident: int
    investigator: str
    state: str
    reason: str
    started_at: datetime | None
    finished_at: datetime | None
    due_at: datetime | None
    verdict: VerdictLine | None = None
    earlier: tuple[VerdictLine, ...] = ()
    facts: tuple[FactLine, ...] = ()
    refutations: tuple[RefutationLine, ...] = ()
    citations: tuple[CitationLine, ...] = ()
    other_entries: tuple[EntryLine, ...] = ()  # of the run, deciding no fact
    answers: tuple[EntryLine, ...] = ()  # every entry of the run
    held: tuple[HeldLine, ...] = ()  # what people hold against it
    draft: str = ""
    caution: str = ""  # what is said above a draft that nobody vouches for
    segments: tuple[Segment, ...] = ()
