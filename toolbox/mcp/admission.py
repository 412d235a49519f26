"""Who is let in with a request, and tokens that were good moments ago.

The look-up of a token and that of the tool rules before a call are one statement in one thread, where the
token was good moments ago. So a token that was revoked since opens nothing all the same: it is looked up
before anything is asked, and the door then answers in place of the server.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.db import DatabaseError

from accounts import tokens
from accounts.tokens import Caller, TokenRefused
from audit.straight import Meanwhile
from toolbox import toolrules
from toolbox.mcp.parts import Behind
from toolbox.mcp.requests import Message, Send
from toolbox.mcp.withheld import Coming
from toolbox.toolrules import Standing

_SECONDS = 60.0
_MOST = 1_000


@dataclass(slots=True)
class Lately:
    """Callers whose tokens were good moments ago, by the tokens' digests."""

    callers: dict[str, tuple[Caller, float]] = field(default_factory=dict)

    def recall(self, secret: str) -> Caller | None:
        """Return who was behind a token, or None where it was not good lately."""
        caller, until = self.callers.get(_digest(secret), (None, 0.0))
        return caller if time.monotonic() < until else None

    def keep(self, secret: str, caller: Caller) -> None:
        """Remember a token that was just found good."""
        if len(self.callers) >= _MOST:
            self.callers.clear()
        self.callers[_digest(secret)] = caller, time.monotonic() + _SECONDS

    def forget(self, secret: str) -> None:
        """Look this one up before all else the next time."""
        self.callers.pop(_digest(secret), None)


@dataclass(slots=True)
class Entrant:
    """A request that is let in. One that is let in by memory is looked up before anything is asked for it."""

    caller: Caller
    body: bytes
    secret: str
    audience: str
    is_recalled: bool
    _is_stale: bool = False
    _is_answered: bool = False

    def behind(self, expects: Callable[[Coming], None] | None) -> Behind:
        """Return who is behind it, for whoever answers the message."""
        standing = self._standing if self.is_recalled else toolrules.standing
        return Behind(self.caller, standing, expects)

    def held(self, send: Send) -> Send:
        """Return a way to answer that leads nowhere once the caller has turned out to be another."""
        if not self.is_recalled:
            return send

        async def held(message: Message) -> None:
            if self._is_answered or not self._is_stale:
                self._is_answered = True
                await send(message)

        return held

    def is_turned_away(self) -> bool:
        """Whether nothing was asked and nothing answered, since the caller is not who it was moments ago."""
        return self._is_stale and not self._is_answered

    def _standing(self, meanwhile: Meanwhile | None) -> Standing:
        try:
            caller, told = tokens.verify_beside(
                self.secret,
                audience=self.audience,
                now=datetime.now(UTC),
                beside=toolrules.STANDING,
                meanwhile=meanwhile,
            )
            if caller != self.caller:
                raise TokenRefused("what the token opens has changed", caller.name)
        except (TokenRefused, DatabaseError):
            self._is_stale = True
            raise
        return toolrules.as_read(told)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
