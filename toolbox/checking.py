"""Whether the tools can be asked: credentials proven, and each question read by its server, not run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from toolbox import proofs
from toolbox.connectors.credential import Provable
from toolbox.deadline import Deadline
from toolbox.definitions import ToolDefinition
from toolbox.registry import Toolbox

_SECONDS = 10.0


@runtime_checkable
class Checkable(Protocol):
    """A connector whose server can read a question without running it."""

    def check(self, tool: ToolDefinition, deadline: Deadline) -> str:
        """Return what is wrong with the tool's question, or ''."""
        ...


@dataclass(frozen=True, slots=True)
class Checked:
    """One thing that was looked at, and what was seen."""

    name: str
    is_well: bool
    seen: str


def checked(toolbox: Toolbox, names: Sequence[str] = ()) -> Iterator[Checked]:
    """Yield what each connector and each tool looks like; only some tools and their connectors when named."""
    tools = [tool for name, tool in toolbox.definitions.items() if not names or name in names]
    for name in names:
        if name not in toolbox.definitions:
            yield Checked(name, False, "there is no tool of this name")
    refused = set()
    for name in sorted({tool.connector for tool in tools}):
        line = _connector(toolbox, name)
        if line is not None:
            refused |= set() if line.is_well else {name}
            yield line
    for tool in tools:
        connector = toolbox.connectors[tool.connector]
        if tool.connector in refused:
            yield Checked(tool.name, False, f"{tool.connector} cannot be asked")
        elif isinstance(connector, Checkable):
            wrong = connector.check(tool, Deadline(_SECONDS))
            yield Checked(tool.name, not wrong, wrong or "its question was read by the server")
        else:
            yield Checked(tool.name, True, "its file was read")


def _connector(toolbox: Toolbox, name: str) -> Checked | None:
    connector = toolbox.connectors[name]
    if not isinstance(connector, Provable):
        return None
    stood = proofs.renewed(connector)
    if stood.reason:
        return Checked(name, False, stood.reason)
    took = f" in {stood.proof.milliseconds:.0f} ms" if stood.proof else ""
    shown = sum(finding.warning for finding in stood.proof.findings) if stood.proof else 0
    return Checked(
        name, True, f"its credential is proven to only read{took}" + (f", {shown} notes" if shown else "")
    )
