"""An answer that is made while its entry is on its way to the disk, and kept back until it is there.

The SDK takes about as long to make an answer as the disk takes to keep an entry. So the answer is made with a
number that stands for the entry's, and not one byte of it is sent before the entry is committed.
"""

import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolbox.mcp.requests import Message, Send

# In the structured content, and in the text that says the same.
_TIMES_NAMED = 2
_LEAST = 10**15


def _a_number() -> int:
    return _LEAST + secrets.randbelow(8 * _LEAST)


@dataclass(frozen=True, slots=True)
class Coming:
    """The entry of an answer that is being made.

    `number` stands for its number in what is made: drawn once the rest of the answer stands, so that nothing
    in that can be meant to be it. `instead` says what is told where the entry does not come: an object with
    `error` or `result`.
    """

    entry: Awaitable[int]
    instead: Callable[[Exception], Mapping[str, Any]]
    number: int = field(default_factory=_a_number)


class Misnumbered(RuntimeError):
    """What was made does not name its entry as often as an answer does."""


@dataclass(slots=True)
class Withheld:
    """A way to answer that keeps back what is made for an entry that is still coming."""

    way: Send
    _coming: Coming | None = None
    _start: Message = field(default_factory=dict)
    _made: bytes = b""

    def expect(self, coming: Coming) -> None:
        """Keep back what is made from now on until this entry has come."""
        self._coming = coming

    async def send(self, message: Message) -> None:
        """Send one message of an answer, or keep it until the last one has come and the entry too."""
        if self._coming is None:
            await self.way(message)
        elif message["type"] == "http.response.start":
            self._start = message
        else:
            self._made += message.get("body", b"")
            if not message.get("more_body", False):
                await self._let_go(await _numbered(self._made, self._coming))

    async def _let_go(self, body: bytes) -> None:
        others = [header for header in self._start["headers"] if header[0].lower() != b"content-length"]
        length = (b"content-length", b"%d" % len(body))
        await self.way({**self._start, "headers": [*others, length]})
        await self.way({"type": "http.response.body", "body": body})


async def _numbered(made: bytes, coming: Coming) -> bytes:
    """Return what was made with the entry's number in it, or what is told in its place."""
    try:
        entry = await coming.entry
        stands_for_it = b"%d" % coming.number
        if made.count(stands_for_it) != _TIMES_NAMED:
            raise Misnumbered(f"entry {entry} is not named as often as it has to be")
        return made.replace(stands_for_it, b"%d" % entry)
    except Exception as error:  # noqa: BLE001 whatever keeps the entry away keeps the answer away
        told = {"jsonrpc": "2.0", "id": json.loads(made).get("id"), **coming.instead(error)}
        return json.dumps(told).encode()
