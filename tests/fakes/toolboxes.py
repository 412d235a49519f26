"""Toolboxes from YAML for tests, with the addresses of fakes in the environment."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from toolbox import registry
from toolbox.connectors.base import Outcome

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


def load(folder: Path, connectors: str, tools: str) -> registry.Toolbox:
    """Load one connectors file and one tools file."""
    (folder / "connectors.yaml").write_text(connectors)
    (folder / "tools.yaml").write_text(tools)
    return registry.load([folder / "tools.yaml"], folder / "connectors.yaml")


def ask(toolbox: registry.Toolbox, tool: str, at: datetime = NOW, /, **arguments: Any) -> Outcome:
    """Ask one tool by its connector, without the gateway around it."""
    definition = toolbox.definitions[tool]
    return toolbox.connectors[definition.connector].ask(definition, arguments, at)
