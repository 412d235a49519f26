"""A model without native tool calls chooses its next step by schema: a tool, or its answer. Pure.

To the loop it is a Model like any other. What it was asked and answered is told to it in words.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from investigations.contract import parsing
from investigations.contract.parsing import Unparsable
from investigations.talk import Message, Model, Reply, Role, ToolCall, ToolOffer

_ANSWER = "answer"
_HOW = """You work in steps. Each time answer with one JSON object and nothing else.
{{"next": NAME, "arguments": {{…}}}} asks one of these tools.
{{"next": "answer", "answer": …}} is your last word.

{tools}
"""


@dataclass(frozen=True, slots=True)
class BySchema:
    """A model, spoken to without tool calls."""

    model: Model

    @property
    def name(self) -> str:
        """The endpoint's name."""
        return self.model.name

    def reply(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        tokens: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """Return the next step as a tool call, or the answer as text; what is neither stays as it is."""
        said = _in_words(messages, tools)
        if not tools or schema is not None:
            return self.model.reply(said, schema=schema, tokens=tokens, on_text=on_text)
        # Not streamed to anybody: a step is no sentence.
        reply = self.model.reply(said, schema=step_schema(tools), tokens=tokens)
        return _as_step(reply, len(messages))


def step_schema(tools: Sequence[ToolOffer]) -> dict[str, Any]:
    """Return the schema of one step: flat, as the grammars of small servers want it."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["next"],
        "properties": {
            "next": {"type": "string", "enum": [*(offer.name for offer in tools), _ANSWER]},
            "arguments": {"type": "object"},
            _ANSWER: {"type": "object"},
        },
    }


def _as_step(reply: Reply, place: int) -> Reply:
    try:
        step = parsing.one_object(reply.text)
    except Unparsable:
        return reply
    wanted = step.get("next")
    if wanted == _ANSWER:
        answer = step.get(_ANSWER)
        return replace(reply, text=answer if isinstance(answer, str) else json.dumps(answer))
    if not isinstance(wanted, str):
        return reply
    arguments = json.dumps(step["arguments"]) if "arguments" in step else ""
    return replace(reply, text="", calls=(ToolCall(f"step-{place}", wanted, arguments),))


def _in_words(messages: Sequence[Message], tools: Sequence[ToolOffer]) -> list[Message]:
    """Tell calls and answers as plain turns, and the tools before all else that the system says.

    They are the same in every run: a server that keeps what it read of a beginning reads them once.
    """
    listed = "\n".join(f"- {each.name}: {each.description} Input: {json.dumps(each.input)}" for each in tools)
    how = _HOW.format(tools=listed) if tools else ""
    said: list[Message] = []
    for message in messages:
        if message.role is Role.SYSTEM:
            said.append(replace(message, text=how + message.text))
        elif message.role is Role.TOOL:
            said.append(Message(Role.USER, message.text))
        elif message.calls:
            steps = [{"next": call.name, "arguments": call.arguments} for call in message.calls]
            said.append(Message(Role.ASSISTANT, "\n".join(map(json.dumps, steps))))
        else:
            said.append(message)
    return _alternating(said)


def _alternating(messages: Sequence[Message]) -> list[Message]:
    """Join neighbours of one role: some templates refuse two turns of a user in a row."""
    joined: list[Message] = []
    for message in messages:
        if joined and joined[-1].role is message.role and message.role is not Role.SYSTEM:
            joined[-1] = replace(joined[-1], text=f"{joined[-1].text}\n\n{message.text}")
        else:
            joined.append(message)
    return joined
