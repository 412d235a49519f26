"""What a run tells whoever watches it, by name."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Protocol


class Happening(StrEnum):
    """What can happen in a run, in the order in which it may."""

    BEGAN = "began"
    RESUMED = "resumed"
    THINKING = "thinking"  # an exchange with the model begins
    REPLIED = "replied"
    ASKED = "asked"  # a tool is being asked
    ANSWERED = "answered"
    HEARD = "heard"  # a person's note reached the model
    REPAIRING = "repairing"
    TOPPING_UP = "topping_up"  # the model is told which facts are missing
    CRITIC_BEGAN = "critic_began"
    CRITIC_ENDED = "critic_ended"
    RUBRIC_BEGAN = "rubric_evaluation_start"
    RUBRIC_ENDED = "rubric_evaluation_end"
    CHECKING_CITATIONS = "checking_citations"
    CHECKED_CITATIONS = "checked_citations"
    REVISING = "revising"
    PLAYBOOK_TOOK_OVER = "playbook_took_over"
    ENDED = "ended"


class Watcher(Protocol):
    """Whoever is told what happens in a run. It must not raise, and must not make the run wait."""

    def note(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Take one happening; the payload is plain and short."""

    def hear(self, piece: str) -> None:
        """Take a piece of the model's words as they come."""


class Unwatched:
    """A watcher that nobody looks through."""

    def note(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Do nothing."""

    def hear(self, piece: str) -> None:
        """Do nothing."""
