"""A model and tools for tests of the loop: both follow a script, and what was said is kept in memory."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from assay_core.results import Status
from investigations.budget import Budget, Limits, Metered, Prices
from investigations.calling import Tools
from investigations.conversation import Conversation, Memory
from investigations.happenings import Unwatched
from investigations.loop import Loop
from investigations.marking import Marker
from investigations.talk import Finish, Message, Reply, Spent, ToolCall, ToolOffer
from verdicts.case import Entry

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LIMITS = Limits(turns=20, calls=20, tokens=10_000_000, micros=10**9, seconds=600.0)
FREE = Prices()
FIND = ToolOffer("find_job", "One job.", {"type": "object", "properties": {"job_id": {"type": "string"}}})
COUNT = ToolOffer("count_all", "All of them.", {"type": "object", "properties": {}})


def reply(text: str = "", *calls: ToolCall, finish: Finish | None = None, **more: Any) -> Reply:
    """Return a reply that ends as its kind does."""
    ends = finish or (Finish.TOOL_CALLS if calls else Finish.STOP)
    return Reply(text, calls, ends, spent=Spent(10, 5, 1, 0.1), **more)


def find(job: str, *, call: str = "c1") -> ToolCall:
    """Return a call of find_job."""
    return ToolCall(call, "find_job", f'{{"job_id": "{job}"}}')


@dataclass
class Spoken:
    """A model that says what it is told to, and keeps what it heard."""

    script: list[Reply]
    heard: list[list[Message]] = field(default_factory=list)
    schemas: list[Any] = field(default_factory=list)
    name: str = "default"

    def reply(self, messages: Sequence[Message], **more: Any) -> Reply:
        """Return the next reply."""
        self.heard.append(list(messages))
        self.schemas.append(more.get("schema"))
        return self.script[len(self.heard) - 1]


@dataclass
class Asked:
    """Tools that answer each question with an entry, and keep what was asked."""

    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    result: Any = field(default_factory=lambda: {"state": "completed"})
    status: Status = Status.OBSERVED

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Entry:
        """Answer."""
        self.asked.append((tool, dict(arguments)))
        number = str(arguments.get("job_id", "1"))
        return Entry(
            id=int(number) if number.isdigit() else 1,
            leaf="",
            investigation=1,
            tool=tool,
            arguments=dict(arguments),
            status=self.status,
            result=self.result,
            reason="",
            called_at=NOW,
            finished_at=NOW,
            asked_by="model",
        )


@dataclass
class Stage:
    """One loop with everything that it needs; `again` is the same run, taken over by another worker."""

    model: Spoken
    ask: Asked = field(default_factory=Asked)
    notebook: Memory = field(default_factory=Memory)
    misasked: list[tuple[str, str]] = field(default_factory=list)
    limits: Limits = LIMITS
    heed: Callable[[], None] = lambda: None
    room: int = 100_000

    def loop(self) -> Loop:
        """Return the loop."""
        budget = Budget(self.limits)
        talk = Conversation(self.notebook)
        tools = Tools(
            offers=(FIND, COUNT),
            ask=self.ask,
            marker=Marker("00ff00ff00ff00ff"),
            take=budget.take_call,
            misasked=lambda tool, why: self.misasked.append((tool, why)),
        )
        tools.recall(talk.steps)
        return Loop(talk, Metered(self.model, budget, FREE), tools, Unwatched(), self.heed, self.room)


def staged(*script: Reply, **more: Any) -> Stage:
    """Return a stage on which the model says these replies, one after the other."""
    return Stage(Spoken(list(script)), **more)
