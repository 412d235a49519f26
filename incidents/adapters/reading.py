"""What an adapter returns: plain values read out of one delivery's bytes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from incidents.states import Condition, Event


@dataclass(frozen=True, slots=True)
class SignalValue:
    """One event of a delivery. An empty `sender_key`: nothing identifies it, so it merges with nothing."""

    position: int
    event: Event
    kind: str
    sender_key: str
    title: str
    severity: str = "unknown"
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    identifiers: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    link: str = ""
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    clock_note: str = ""
    moved_from: str = ""  # the key that the same thing had before
    action: str = ""  # what happened, in the sender's word, where an event says too little


@dataclass(frozen=True, slots=True)
class Reading:
    """How much of a delivery could be read, what it holds, and what could not be read, in sentences."""

    condition: Condition
    signals: tuple[SignalValue, ...] = ()
    notes: tuple[str, ...] = ()
    not_shown: int = 0
    is_parked: bool = False  # it is about something that nothing is done with


class Notes:
    """Collects sentences about one delivery; past the limit they are only counted."""

    LIMIT = 50

    def __init__(self) -> None:
        self._sentences: list[str] = []
        self._more = 0
        self.is_partial = False

    def add(self, sentence: str, *, partial: bool = False) -> None:
        """Keep a sentence; `partial` says that something the sender should have sent is missing or odd."""
        self.is_partial = self.is_partial or partial
        if len(self._sentences) < self.LIMIT:
            self._sentences.append(sentence)
        else:
            self._more += 1

    def sentences(self) -> tuple[str, ...]:
        """Return what was collected, with the count of what was left out."""
        if not self._more:
            return tuple(self._sentences)
        return (*self._sentences, f"{self._more} more notes are left out.")
