"""A PostgreSQL database, asked through its reader role only."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from assay_core.results import Status
from toolbox.connectors.base import Outcome
from toolbox.definitions import ToolDefinition


class PostgresConnector:
    """One database under one reader role."""

    kind = "postgres"

    def __init__(self, name: str, title: str, dsn_env: str, *, connections: int = 4) -> None:
        self.name, self.title, self._dsn_env, self._connections = name, title, dsn_env, connections

    def ask(self, tool: ToolDefinition, arguments: Mapping[str, Any], called_at: datetime) -> Outcome:
        """Not yet."""
        return Outcome(Status.UNAVAILABLE, reason="databases cannot be asked yet")

    def close(self) -> None:
        """Give back the connections."""
