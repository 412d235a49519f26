"""What every connector over HTTP has in common: one reader, and an Outcome for everything that can happen."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Protocol
from urllib.parse import quote, urlencode

from assay_core.results import Status
from toolbox.connectors.base import Outcome
from toolbox.connectors.endpoint import Endpoint
from toolbox.connectors.http import Ask, Reader, Reply
from toolbox.connectors.httpjson import AnswerMalformed
from toolbox.connectors.httpstatus import Failure
from toolbox.deadline import Deadline, DeadlinePassed
from toolbox.definitions import ToolDefinition
from toolbox.querytext import ArgumentRefused
from toolbox.remote import RemoteQuestion
from toolbox.values import ValueUnreadable

_REACH_SECONDS = 5.0
_LEAST_READ = 1_048_576
_MOST_READ = 8_388_608


class Bounds(Protocol):
    """How long and how much may be read."""

    @property
    def deadline(self) -> Deadline:
        """The end of the whole call."""
        ...

    @property
    def most_bytes(self) -> int:
        """The bytes of one answer at most."""
        ...


@dataclass(frozen=True, slots=True)
class Unasked:
    """The bounds of reads that no tool asked for, like those of a proof."""

    deadline: Deadline
    most_bytes: int = _LEAST_READ


@dataclass(frozen=True, slots=True)
class Call:
    """One call of one tool: what was asked, when, and until when an answer is waited for."""

    tool: ToolDefinition
    question: RemoteQuestion
    arguments: Mapping[str, Any]
    called_at: datetime
    deadline: Deadline

    @property
    def most_bytes(self) -> int:
        """How much of an answer is read: an API wraps what a result keeps in much else."""
        return min(max(_LEAST_READ, 8 * self.tool.limits.bytes), _MOST_READ)

    def window(self) -> tuple[datetime, datetime]:
        """Return the window that is searched; raise ArgumentRefused."""
        if self.question.window is None:
            raise ArgumentRefused("the tool declares no window")
        return self.question.window.edges(self.arguments, self.called_at)


class HttpConnector(ABC):
    """One server with one credential. `tenant` is the name under which the server keeps our data, if any."""

    kind: ClassVar[str]

    def __init__(self, name: str, title: str, endpoint: Endpoint, *, tenant: str = "") -> None:
        self.name, self.title, self.endpoint, self.tenant = name, title, endpoint, tenant
        self._reader = Reader(endpoint)

    def ask(self, tool: ToolDefinition, arguments: Mapping[str, Any], called_at: datetime) -> Outcome:
        """Put the tool's question within its limits; every failure is an Outcome."""
        if not isinstance(tool.question, RemoteQuestion):
            return Outcome(Status.ERROR, reason=f"{self.name}: {tool.name} is not a question for it")
        call = Call(tool, tool.question, arguments, called_at, Deadline(tool.limits.seconds))
        try:
            outcome = self.answer(call)
        except Failure as failure:
            return Outcome(failure.status, reason=f"{self.name}: {failure.reason}")
        except ArgumentRefused as error:
            return Outcome(Status.REFUSED, reason=f"an argument cannot be asked: {error}")
        except DeadlinePassed as error:
            return Outcome(Status.UNAVAILABLE, reason=f"{self.name}: the answer {error} and was given up")
        except (AnswerMalformed, ValueUnreadable) as error:
            return Outcome(Status.ERROR, reason=f"{self.name}: {error}")
        covered = {**({"tenant": self.tenant} if self.tenant else {}), **(outcome.covered or {})}
        return Outcome(outcome.status, outcome.result, outcome.reason, covered or None, outcome.replaced)

    @abstractmethod
    def answer(self, call: Call) -> Outcome:
        """Ask and weigh. May raise Failure, ArgumentRefused, DeadlinePassed, AnswerMalformed."""

    def get(self, bounds: Bounds, path: str, query: Mapping[str, Any] | None = None, **ask: Any) -> Reply:
        """Read one target; raise Failure."""
        target = path + (f"?{urlencode(query, doseq=True)}" if query else "")
        return self._reader.read(Ask(target, **ask), bounds.deadline, bounds.most_bytes)

    def search(self, bounds: Bounds, path: str, query: Mapping[str, Any], body: Any, **ask: Any) -> Reply:
        """Put a search that this connector itself built; raise Failure."""
        return self._reader.read(
            Ask(f"{path}?{urlencode(query)}" if query else path, search=body, **ask),
            bounds.deadline,
            bounds.most_bytes,
        )

    def reach(self) -> str:
        """Return why the server cannot be reached as set up, or nothing. Any HTTP answer but 401 will do."""
        try:
            self._reader.read(Ask("/", absent=True), Deadline(_REACH_SECONDS), _LEAST_READ)
        except Failure as failure:
            answered = failure.code not in (0, 401) or failure.status in (Status.TRUNCATED, Status.ERROR)
            return failure.reason if failure.code == 401 or not answered else ""
        return ""

    def close(self) -> None:
        """Give back the connections."""
        self._reader.close()


def segment(name: str, value: Any) -> str:
    """Return an argument as one segment of a path; raise ArgumentRefused where it would be another path."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ArgumentRefused(f"{name} is neither a text nor a whole number")
    text = str(value)
    if text in ("", ".", "..") or any(char < " " or char == "\x7f" for char in text):
        raise ArgumentRefused(f"{name} is {text[:40]!r}, which is no part of an address")
    try:
        return quote(text, safe="")
    except UnicodeEncodeError:
        raise ArgumentRefused(f"{name} holds a lone surrogate") from None
