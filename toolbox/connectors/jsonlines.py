"""Logs as JSON lines in a folder."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from assay_core.results import Status
from toolbox.connectors.base import Outcome
from toolbox.definitions import ToolDefinition


class JsonLinesConnector:
    """A folder of *.jsonl and *.jsonl.gz files."""

    kind = "jsonlines"

    def __init__(self, name: str, title: str, folder_env: str, *, fields: Mapping[str, str]) -> None:
        self.name, self.title, self._folder_env, self._fields = name, title, folder_env, fields

    def ask(self, tool: ToolDefinition, arguments: Mapping[str, Any], called_at: datetime) -> Outcome:
        """Not yet."""
        return Outcome(Status.UNAVAILABLE, reason="log files cannot be asked yet")

    def close(self) -> None:
        """Nothing is held open."""
