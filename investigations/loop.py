"""The loop: the model asks, the tools answer, until it answers without asking.

Model and tools are given; so are the budget (in the model, and in the tools) and the notebook (in the
conversation). What ends a run early is an exception with a name: BudgetSpent, Repeating, LeaseLost,
EndpointDown, EndpointRefused.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from investigations.calling import Tools
from investigations.conversation import Conversation
from investigations.happenings import Happening, Watcher
from investigations.talk import Finish, Model, Reply
from investigations.tracing import span_of_tool


@dataclass(frozen=True, slots=True)
class Loop:
    """One model with its tools in one conversation. `heed` is called before each exchange: the lease is
    renewed there, and what a person says meanwhile is heard. `room` is how many tokens the model reads."""

    talk: Conversation
    model: Model
    tools: Tools
    watcher: Watcher
    heed: Callable[[], None]
    room: int

    def until_answer(self) -> Reply:
        """Go on until the model answers without asking, and return that answer."""
        while True:
            reply = self.talk.last_reply
            if reply is not None and (not reply.calls or reply.finish is Finish.REFUSED):
                return reply
            self._answer_calls()
            self.once()

    def once(self, schema: Mapping[str, Any] | None = None) -> Reply:
        """Make one exchange, and keep it."""
        self.heed()
        self.watcher.note(Happening.THINKING, {"endpoint": self.model.name})
        offers = self.tools.offers
        messages = self.talk.fitting(self.room, offers)
        reply = self.model.reply(messages, tools=offers, schema=schema, on_text=self.watcher.hear)
        self.watcher.note(Happening.REPLIED, {"calls": len(reply.calls), "finish": reply.finish.value})
        return self.talk.hear(reply)

    def _answer_calls(self) -> None:
        reply = self.talk.last_reply
        for call in self.talk.unanswered():
            assert reply is not None  # it made the calls
            self.watcher.note(Happening.ASKED, {"tool": call.name, "arguments": call.arguments})
            with span_of_tool(call.name, call=call.id) as span:
                answered = self.tools.answer(call, reply.finish)
                span.ended(answered.status)
            self.talk.answer(call, answered.text, entry=answered.entry)
            told = {"tool": call.name, "entry": answered.entry, "status": answered.status}
            self.watcher.note(Happening.ANSWERED, told)
