"""One call of a data tool over MCP: asked in a thread, and answered while its entry is being written."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from toolbox import gateway
from toolbox.called import Called
from toolbox.definitions import ToolDefinition
from toolbox.mcp import answers
from toolbox.mcp.parts import Behind
from toolbox.mcp.threads import Early, Threads
from toolbox.mcp.withheld import Coming
from toolbox.scope import CallScope


@dataclass(frozen=True, slots=True)
class DataCall:
    """What is asked, by whom, in which circumstances, and what is told where the entry does not come."""

    name: str
    given: Mapping[str, Any]
    behind: Behind
    definition: ToolDefinition | None
    scope: Callable[[], CallScope]
    instead: Callable[[Exception], Mapping[str, Any]]

    async def answer(self, threads: Threads, *, seconds: float) -> answers.Told:
        """Ask, and return the answer: with its entry, or with what stands for one that is expected.

        Raises what Threads.run does.
        """
        expects = self.behind.expects
        early: Early[answers.Draft] = Early()
        asked = threads.start(lambda: self._asked(early.tell), seconds=seconds)
        drafted = await early.before(asked) if expects is not None else None
        if drafted is None or expects is None:
            return await asked
        coming = Coming(_entry(asked), self.instead)
        expects(coming)
        return drafted.wire(coming.number)

    def _asked(self, tell: Callable[[answers.Draft], None]) -> answers.Told:
        """Put the call, in a thread, and tell its answer as soon as only the entry's number is missing."""
        behind, definition = self.behind, self.definition
        # A scope within an investigation is read from the database, for a token that is known to be good.
        standing = behind.standing if behind.caller.investigation is None else behind.standing(None)
        scope = self.scope()
        if definition is None:
            return answers.refusal(gateway.call(self.name, self.given, scope, standing=standing).reason)
        drafts: list[answers.Draft] = []

        def draft(coming: Called) -> None:
            drafts.append(answers.drafted(coming, definition))
            tell(drafts[-1])

        called = gateway.call(self.name, self.given, scope, standing=standing, meanwhile=draft)
        return drafts[-1].wire(called.entry)


async def _entry(asked: "asyncio.Future[answers.Told]") -> int:
    answer = await asked
    assert isinstance(answer, dict)  # an answer that was drafted is in the form of the wire
    return int(answer["structuredContent"]["entry"])
