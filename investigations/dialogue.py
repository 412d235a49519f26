"""A question to a model beside the run's own talk, as a critic's, a grader's or a reviser's. Pure.

Whoever asks knows neither endpoint nor loop nor budget: the dialogue lets the model use its tools, holds it
to the schema (with one repair), and stops where the budget does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from investigations.marking import Marker


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked: our instructions, what they are about (data, by the marker), the answer's schema."""

    instructions: str
    given: str
    schema: Mapping[str, Any]
    marker: Marker


@dataclass(frozen=True, slots=True)
class Said:
    """An answer of the wanted shape, and who gave it."""

    value: Mapping[str, Any]
    endpoint: str = ""
    model: str = ""


class NoAnswer(Exception):
    """No answer of the wanted shape came; the message says why: endpoint, budget, or the shape twice."""


class Dialogue(Protocol):
    """One fresh conversation for each question: what was said in another is not known to it."""

    def ask(self, wanted: Wanted) -> Said:
        """Return the answer, checked against the schema; raise NoAnswer."""
