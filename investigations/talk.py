"""What is said to a model and what comes back, as plain values, and the Protocol of whoever speaks to one.

The loop, the critic, the grader and the answers to people know a model by these alone;
investigations.endpoint is the one place that speaks HTTP to one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class Role(StrEnum):
    """Who says a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to call a tool. `arguments` is the text as it was sent, "" where it sent none."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. `calls` belong to an assistant's turn, `answers` (a call's id) to a tool's."""

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool as a model is shown it: its input as JSON Schema."""

    name: str
    description: str
    input: Mapping[str, Any]


class Finish(StrEnum):
    """Why a reply ended, in our words; a reason that nobody is known to give is UNKNOWN: invalid."""

    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    CUT_OFF = "cut_off"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Spent:
    """What one exchange cost: tokens as counted by the server (else estimated), money, seconds."""

    tokens_in: int = 0
    tokens_out: int = 0
    micros: int = 0  # millionths of the currency unit that prices are set in
    seconds: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        """Return both together."""
        return Spent(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.micros + other.micros,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered. Reasoning that a server sends beside the answer is not kept and not read."""

    text: str
    calls: tuple[ToolCall, ...]
    finish: Finish
    refusal: str = ""  # the server's own words, where it says that the model refused
    model: str = ""  # as the reply names it
    fingerprint: str = ""
    spent: Spent = Spent()
    exchange: int = 0  # the stored Exchange's id; 0 where nothing was stored


class EndpointDown(Exception):
    """No usable reply came after the retries; the message says which endpoint and what happened."""


class EndpointRefused(Exception):
    """The endpoint may not be used (terms not recorded, settings missing); the message names the cure."""


class Model(Protocol):
    """One endpoint, ready to be spoken to for one purpose of one run."""

    @property
    def name(self) -> str:
        """The endpoint's name in the settings: "default", "critic", ..."""

    def reply(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        tokens: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """Say all this and return the answer; `tokens` limits it, `schema` asks for JSON of that shape.

        `on_text` is given the answer's text as it comes. Raises EndpointDown, EndpointRefused.
        """
