"""What was sent whole is carried out to its end, whether or not its sender waits for the answer.

A browser hangs up at the second of two clicks, and a sender of alerts at its timeout. Django would then stop
between any two steps: a form stayed taken with nobody at it, and its second copy waited in vain.
"""

import asyncio
from collections.abc import MutableMapping
from typing import Any

from triage.bodylimit import App, Message, Receive, Send

_READING = frozenset({"GET", "HEAD", "OPTIONS"})


def carried_out(app: App) -> App:
    """Return the application, deaf to a hang-up once a request that may change things is whole."""

    async def inside(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in _READING:
            await app(scope, receive, send)
            return
        is_whole = False

        async def heard() -> Message:
            nonlocal is_whole
            if is_whole:
                await asyncio.Event().wait()  # it never comes; whoever listens is told to stop by the answer
            message = await receive()
            is_whole = message["type"] == "http.request" and not message.get("more_body", False)
            return message

        await app(scope, heard, send)

    return inside
