"""The dialogue of critics, graders and revisers: the one loop, in a conversation of its own."""

from collections.abc import Callable
from dataclasses import dataclass

from investigations.calling import Tools
from investigations.contract import parsing
from investigations.contract.parsing import Unparsable
from investigations.conversation import Conversation, Memory, Notebook
from investigations.dialogue import NoAnswer, Said, Wanted
from investigations.happenings import Watcher
from investigations.loop import Loop
from investigations.marking import Marker
from investigations.outcomes import BudgetSpent
from investigations.prompts import prompt
from investigations.repeats import Repeating
from investigations.states import StepKind
from investigations.talk import EndpointDown, EndpointRefused, Finish, Model, Reply, Role


@dataclass(frozen=True, slots=True)
class Conferring:
    """One model, ready to be asked. `tools` makes the tools of one conversation, their answers marked.

    The model meters what it spends. `heed` is called before each exchange, and what it raises (a lost lease,
    a person's stop) ends the run, not only the conversation.
    """

    model: Model
    tools: Callable[[Marker], Tools]
    watcher: Watcher
    heed: Callable[[], None]
    room: int
    notebook: Callable[[], Notebook] = Memory

    def ask(self, wanted: Wanted) -> Said:
        """Ask in a conversation of its own; one repair. Raises NoAnswer, and what `heed` raises."""
        talk = Conversation(self.notebook())
        if not talk.steps:
            talk.say(StepKind.OPENING, wanted.instructions, role=Role.SYSTEM)
            talk.say(StepKind.OPENING, wanted.given)
        loop = Loop(talk, self.model, self.tools(wanted.marker), self.watcher, self.heed, self.room)
        try:
            return self._answer(loop, wanted)
        except (BudgetSpent, Repeating, EndpointDown, EndpointRefused) as end:
            raise NoAnswer(str(end)) from None

    def _answer(self, loop: Loop, wanted: Wanted) -> Said:
        reply = loop.until_answer() if loop.tools.offers else loop.once(wanted.schema)
        try:
            return self._read(reply, wanted)
        except Unparsable as wrong:
            loop.talk.say(StepKind.FEEDBACK, prompt("repair", complaints="\n".join(wrong.complaints)))
        reply = loop.once(wanted.schema)
        try:
            return self._read(reply, wanted)
        except Unparsable as wrong:
            raise NoAnswer(f"The model's answer can't be read. {wrong}"[:400]) from None

    def _read(self, reply: Reply, wanted: Wanted) -> Said:
        if reply.finish is Finish.REFUSED:
            raise NoAnswer("The model refused to answer.")
        if reply.finish is Finish.CUT_OFF:
            raise Unparsable(["The reply was cut off before its end. Answer more shortly."])
        if reply.finish is Finish.UNKNOWN or reply.calls:
            raise Unparsable(["The reply does not end as an answer does. Answer with the one JSON object."])
        return Said(parsing.held_to(wanted.schema, reply.text), self.model.name, reply.model)


@dataclass(frozen=True, slots=True)
class Unreachable:
    """A dialogue with nobody: the endpoint may not be used, or is not set."""

    why: str

    def ask(self, wanted: Wanted) -> Said:
        """Raise NoAnswer."""
        raise NoAnswer(self.why)
