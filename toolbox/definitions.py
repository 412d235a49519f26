"""What a tool is: one narrow, named, read-only question, frozen as it was declared."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assay_core.arguments import ToolShape
from assay_core.canonical import digest
from toolbox.remote import RemoteQuestion

Shape = Literal["one", "rows", "log"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may take: rows and bytes of its result, seconds of its time."""

    rows: int = 50
    bytes: int = 65_536
    seconds: float = 5.0


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL whose placeholders are numbered; `names` holds the argument of each number in order."""

    text: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SqlQuestion:
    """A question to a database, and the question that proves that its place and window hold data."""

    statement: Statement
    control: Statement | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """One demand on a log line: its field contains, or equals, what the named argument holds."""

    field: str
    test: Literal["contains", "equals"]
    argument: str


@dataclass(frozen=True, slots=True)
class LogQuestion:
    """A question to log files: conditions, the window's arguments, and whether only to count."""

    where: tuple[Condition, ...]
    since: str
    until: str
    count: bool = False


Question = SqlQuestion | LogQuestion | RemoteQuestion


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One tool as its file declares it. `plain` is the declaration as data, from which the digest is made.

    `scope` maps arguments to the identifiers of the subject that they must equal; `redact` names the fields
    of the result that no model and no page sees.
    """

    name: str
    title: str
    description: str
    connector: str
    input: Mapping[str, Any]
    output: Mapping[str, Any]
    shape: Shape
    key: str
    question: Question
    limits: Limits
    normalise: Mapping[str, tuple[str, ...]]
    defaults: Mapping[str, Any]
    covers: Mapping[str, str]
    plain: Mapping[str, Any] = field(repr=False)
    scope: Mapping[str, str] = field(default_factory=dict)
    redact: tuple[str, ...] = ()
    _digest: list[str] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def digest(self) -> str:
        """The SHA-256 of the whole declaration: another question is another digest."""
        if not self._digest:
            self._digest.append(digest(self.plain))
        return self._digest[0]

    @property
    def tool_shape(self) -> ToolShape:
        """What a verdict must know of this tool."""
        return ToolShape(
            name=self.name, digest=self.digest, defaults=dict(self.defaults), normalise=dict(self.normalise)
        )
