"""What is said between our code and a model in one run: kept in a notebook first, then said. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from investigations.budget import tokens_of, tokens_of_all
from investigations.outcomes import BudgetSpent
from investigations.states import StepKind
from investigations.talk import Finish, Message, Reply, Role, Spent, ToolCall, ToolOffer
from toolbox.values import Cleaner

_LEFT_OUT = "[Left out here to save room. Entry {entry} of the audit log holds the whole answer.]"
_LEFT_OUT_UNRECORDED = "[Left out here to save room.]"
_LEFT_OUT_OF_REPLY = "\n[{count} more characters are left out here to save room.]"
_SHORT = 200
_REPLY_KEPT = 2_000
_NOTHING = Spent()


@dataclass(frozen=True, slots=True)
class Kept:
    """One step as a notebook keeps it. `reply` says how a REPLY ended and what it cost."""

    kind: StepKind
    message: Message
    reply: Reply | None = None
    entry: int = 0


class Notebook(Protocol):
    """Where a run's steps are kept, so that whoever takes over goes on where it was left."""

    def kept(self) -> Sequence[Kept]:
        """Return the steps so far, in order."""

    def keep(self, step: Kept) -> None:
        """Keep one more step; raise LeaseLost when the run is no longer ours."""


class Memory:
    """A notebook that lasts as long as its process: for talks that are asked again from the beginning."""

    def __init__(self) -> None:
        self._steps: list[Kept] = []

    def kept(self) -> Sequence[Kept]:
        """Return the steps so far."""
        return tuple(self._steps)

    def keep(self, step: Kept) -> None:
        """Keep one more step."""
        self._steps.append(step)


class Conversation:
    """The turns so far. Each call that the model makes gets exactly one answer, by its id."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook
        self._steps = list(notebook.kept())

    @property
    def messages(self) -> list[Message]:
        """Every turn, in order."""
        return [step.message for step in self._steps]

    @property
    def steps(self) -> Sequence[Kept]:
        """Every step, in order."""
        return tuple(self._steps)

    @property
    def spent(self) -> Spent:
        """What the replies so far have cost."""
        return sum((step.reply.spent for step in self._steps if step.reply), Spent())

    def say(self, kind: StepKind, text: str, *, role: Role = Role.USER) -> None:
        """Tell the model something of ours."""
        self._keep(Kept(kind, Message(role, text)))

    def hear(self, reply: Reply) -> Reply:
        """Take a reply; ids that a server left out or gave twice are made our own."""
        cleaned = _cleaned(reply, len(self._steps))
        message = Message(Role.ASSISTANT, cleaned.text, calls=cleaned.calls)
        self._keep(Kept(StepKind.REPLY, message, reply=cleaned))
        return cleaned

    def answer(self, call: ToolCall, text: str, *, entry: int = 0) -> None:
        """Answer one call."""
        self._keep(Kept(StepKind.ANSWER, Message(Role.TOOL, text, answers=call.id), entry=entry))

    @property
    def last_reply(self) -> Reply | None:
        """The model's last reply, if it has said anything since it was last told something."""
        for step in reversed(self._steps):
            if step.reply is not None:
                return step.reply
            if step.kind is not StepKind.ANSWER:
                return None
        return None

    def unanswered(self) -> tuple[ToolCall, ...]:
        """Return the calls of the last reply that have no answer yet."""
        reply = self.last_reply
        if reply is None:
            return ()
        answered = set()
        for step in reversed(self._steps):
            if step.reply is not None:
                break
            answered.add(step.message.answers)
        return tuple(call for call in reply.calls if call.id not in answered)

    def count(self, kind: StepKind) -> int:
        """Return how many steps of a kind there are."""
        return sum(step.kind is kind for step in self._steps)

    def fitting(self, room: int, tools: Sequence[ToolOffer] = ()) -> list[Message]:
        """Return the turns as they fit into so many tokens: the oldest answers are left out first, then the
        ends of long replies, so that whoever wrote one too long to be said again can still mend it.

        A call keeps its answer, if only as one line. Raises BudgetSpent when even that is too long.
        """
        messages = self.messages
        size = tokens_of_all(messages, tools)
        for place, step in enumerate(self._steps):
            if size <= room or place >= len(self._steps) - 1:
                break
            if step.kind is StepKind.ANSWER and len(step.message.text) > _SHORT:
                line = _LEFT_OUT.format(entry=step.entry) if step.entry else _LEFT_OUT_UNRECORDED
                size -= tokens_of(step.message.text) - tokens_of(line)
                messages[place] = replace(step.message, text=line)
        for place, step in enumerate(self._steps):
            if size <= room:
                break
            if step.reply is not None:
                messages[place] = _shortened(step.message)
                size -= tokens_of_all([step.message]) - tokens_of_all([messages[place]])
        if size > room:
            raise BudgetSpent(f"What was said takes about {size} tokens, and the model reads at most {room}.")
        return messages

    def _keep(self, step: Kept) -> None:
        self._notebook.keep(step)
        self._steps.append(step)


def _shortened(said: Message) -> Message:
    """Return a reply with its text, and the arguments of its calls, no longer than what is kept of one."""
    calls = [replace(each, arguments=each.arguments[:_REPLY_KEPT]) for each in said.calls]
    text = said.text
    if len(text) > 2 * _REPLY_KEPT:
        text = text[:_REPLY_KEPT] + _LEFT_OUT_OF_REPLY.format(count=len(text) - _REPLY_KEPT)
    return replace(said, text=text, calls=tuple(calls))


def _cleaned(reply: Reply, place: int) -> Reply:
    """Return a reply that a database can hold, each of its calls with an id of its own."""
    cleaner, seen, calls = Cleaner(), set[str](), []
    for number, call in enumerate(reply.calls):
        given = str(cleaner.clean(call.id))[:100]
        name = given if given and given not in seen else f"call-{place}-{number}"
        seen.add(name)
        name_of_tool, arguments = cleaner.clean(call.name[:200]), cleaner.clean(call.arguments)
        calls.append(ToolCall(name, name_of_tool, arguments))
    return replace(
        reply,
        text=cleaner.clean(reply.text),
        refusal=cleaner.clean(reply.refusal[:2000]),
        model=cleaner.clean(reply.model[:200]),
        calls=tuple(calls),
    )


def to_plain(step: Kept) -> dict[str, Any]:
    """Return a step as JSON."""
    message, reply = step.message, step.reply
    return {
        "role": message.role.value,
        "text": message.text,
        "calls": [[call.id, call.name, call.arguments] for call in message.calls],
        "answers": message.answers,
        "reply": None
        if reply is None
        else {"finish": reply.finish.value, "refusal": reply.refusal, "model": reply.model},
    }


def from_plain(
    kind: StepKind, body: str, *, spent: Spent = _NOTHING, exchange: int = 0, entry: int = 0
) -> Kept:
    """Return the step that to_plain wrote, with what its row says beside it."""
    plain: Mapping[str, Any] = json.loads(body)
    calls = tuple(ToolCall(*each) for each in plain["calls"])
    message = Message(Role(plain["role"]), plain["text"], calls=calls, answers=plain["answers"])
    reply, how = None, plain["reply"]
    if how is not None:
        reply = Reply(
            text=message.text,
            calls=calls,
            finish=Finish(how["finish"]),
            refusal=how["refusal"],
            model=how["model"],
            spent=spent,
            exchange=exchange,
        )
    return Kept(kind, message, reply=reply, entry=entry)
