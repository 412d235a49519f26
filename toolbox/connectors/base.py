"""What every connector promises: a question and its arguments in, a typed Outcome out, never an exception."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from assay_core.results import Status
from toolbox.definitions import ToolDefinition


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a connector found, before the output schema is checked.

    `replaced` counts characters and numbers that a result cannot hold and that were put as other text.
    """

    status: Status
    result: Any = None
    reason: str = ""
    covered: Mapping[str, Any] | None = None
    replaced: int = 0


class Connector(Protocol):
    """One place that tools ask."""

    @property
    def name(self) -> str:
        """Its name in the connectors file."""
        ...

    @property
    def kind(self) -> str:
        """`postgres` or `jsonlines`."""
        ...

    @property
    def title(self) -> str:
        """Its name for people."""
        ...

    def ask(self, tool: ToolDefinition, arguments: Mapping[str, Any], called_at: datetime) -> Outcome:
        """Put the tool's question within its limits; every failure is an Outcome."""
        ...

    def close(self) -> None:
        """Give back what is held open."""
        ...
