"""What the MCP server is made of, as Protocols and plain values: `triage` fills in what reaches up."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from accounts.tokens import Caller, Scope
from toolbox import toolrules
from toolbox.mcp.withheld import Coming
from toolbox.scope import CallScope


class Refused(Exception):
    """One of the own tools refuses; the message is a sentence for whoever asked."""


@dataclass(frozen=True, slots=True)
class OwnTool:
    """A tool that is not a question to a connector, such as `submit_findings`.

    `input` may read the database. `run` is called in a thread, outside any transaction, with arguments that
    are as `input` has them. It returns what `output` has, or raises Refused.
    """

    name: str
    title: str
    description: str
    input: Callable[[], Mapping[str, Any]]
    output: Mapping[str, Any]
    needs: Scope
    run: Callable[[Caller, Mapping[str, Any]], Mapping[str, Any]]
    changes: bool = False
    seconds: float = 20.0


@dataclass(frozen=True, slots=True)
class Behind:
    """Who is behind one message.

    `standing` reads the tool rules that stand. It is called in a thread, before a data tool is asked, and
    raises TokenRefused where the caller turns out not to be the one that was let in: nothing that it runs
    meanwhile may last then.
    `expects`, where it is there, is told of an entry that is still coming: the answer that is returned next
    is kept back until it has.
    """

    caller: Caller
    standing: toolrules.Reading = toolrules.standing
    expects: Callable[[Coming], None] | None = None


class Surroundings(Protocol):
    """What the server asks the rest of the house."""

    def own_tools(self) -> Mapping[str, OwnTool]:
        """Return the tools beside the data tools, by name."""
        ...

    def scope_of(self, caller: Caller, via: str) -> CallScope:
        """Return in which circumstances this caller's calls of data tools run. May read the database."""
        ...
