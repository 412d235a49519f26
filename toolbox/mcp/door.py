"""The door in front of the MCP server: address, token, size and scope are looked at before the SDK is.

In this order: Host and Origin (exact values), method, token, size, the message, scope. What is refused here
never reaches the SDK, so it is counted and recorded here. A token that was good moments ago is looked up
last, by whoever asks the tool (toolbox.mcp.admission).
"""

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.db import DatabaseError

from accounts import tokens
from accounts.tokens import Caller, Scope, TokenRefused
from toolbox import registry
from toolbox.mcp import listing, requests
from toolbox.mcp.admission import Entrant, Lately
from toolbox.mcp.parts import OwnTool
from toolbox.mcp.refusals import Refusals
from toolbox.mcp.requests import App, ASGIScope, Headers, Receive, Send
from toolbox.mcp.threads import Busy, Threads, TooSlow
from toolbox.mcp.withheld import Withheld
from toolbox.yamlfile import DefinitionError

BEHIND = "assay.behind"
HOWTO = "docs/howto/connect-an-agent-over-mcp.md"
OPENING = (Scope.READ, Scope.TOOLS, Scope.SUBMIT)
_SECONDS = 10.0
# Of two values one reader takes the first and another the last.
_SAID_ONCE = ("mcp-protocol-version", "mcp-method", "mcp-name", "content-type", "content-length")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server is reached, in exact values, and what it takes."""

    base_url: str
    hosts: frozenset[str]
    origins: frozenset[str]
    most_bytes: int
    issuer: str = ""
    needs_tls: bool = False
    trusts_proxy: bool = False

    @property
    def metadata_url(self) -> str:
        """Where the protected-resource metadata is, when an issuer is configured."""
        return f"{self.base_url}/.well-known/oauth-protected-resource/mcp"


class Refusal(Exception):
    """One request is refused: the status, one word for the counts, a sentence for the caller, headers."""

    def __init__(self, status: int, reason: str, said: str, **headers: str) -> None:
        super().__init__(said)
        self.status, self.reason, self.said, self.headers = status, reason, said, headers


@dataclass(slots=True)
class Door:
    """An ASGI application that lets through to `inside` only what may go there."""

    inside: App
    address: Address
    threads: Threads
    own: Mapping[str, OwnTool]
    # Only where an answer is whole before its first byte is sent can it be kept back, or another be sent.
    is_whole: bool = True
    refusals: Refusals = field(default_factory=Refusals)
    is_open: bool = False
    lately: Lately = field(default_factory=Lately)

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        headers = Headers.of(scope)
        try:
            self._look_at_address(scope, headers)
            entrant = await self._let_in(headers, receive)
        except Refusal as refusal:
            await self._refuse(refusal, headers, send)
        except requests.Vanished:
            await requests.answer(send, 408, {"error": "the body did not arrive in time"}, connection="close")
        except (Busy, TooSlow):
            await requests.answer(send, 503, {"error": "too many requests at once"}, retry_after="2")
        except DefinitionError:
            _log.exception("the tools can't be loaded")
            await requests.answer(send, 503, {"error": "the tools can't be loaded; the log says why"})
        except DatabaseError:
            _log.exception("a token could not be looked up")
            await requests.answer(send, 503, {"error": "the database does not answer"}, retry_after="5")
        else:
            # The space around a field's value is no part of it, and not every server takes it off.
            # Nor are capitals in an address.
            trimmed = [
                (name, value.strip(b" \t").lower() if name in (b"host", b"origin") else value.strip(b" \t"))
                for name, value in scope["headers"]
            ]
            withheld = Withheld(entrant.held(send))
            behind = entrant.behind(withheld.expect if self.is_whole else None)
            inner = {**scope, "headers": trimmed, BEHIND: behind}
            await self.inside(inner, requests.replayed(entrant.body, receive), withheld.send)
            if entrant.is_turned_away():
                self.lately.forget(entrant.secret)
                await self(scope, requests.replayed(entrant.body, receive), send)

    async def _let_in(self, headers: Headers, receive: Receive) -> Entrant:
        secret = headers.bearer()
        lately = self.lately.recall(secret) if self.is_whole else None
        caller = lately or await self._known(headers)
        body = await self._body(receive, headers)
        if lately and not self._asks_data(lately, body):
            caller, lately = await self._known(headers), None
        if not lately:
            self._look_at_scope(caller, _message(body))
        return Entrant(caller, body, secret, self.address.base_url, is_recalled=lately is not None)

    def _asks_data(self, caller: Caller, body: bytes) -> bool:
        """Whether a message calls a data tool: the token is looked up there, before it is asked."""
        with suppress(requests.Malformed):
            name = requests.called_tool(requests.message_in(body))
            return listing.data_tool(name, self.own) is not None and Scope.TOOLS in caller.scopes
        return False

    def _look_at_address(self, scope: ASGIScope, headers: Headers) -> None:
        if not self.is_open:
            raise Refusal(503, "closed", "The MCP server is not running: start uvicorn with --lifespan on.")
        if headers.one("host").lower() not in self.address.hosts:
            raise Refusal(421, "host", "This server is not reached by that Host (MCP_ALLOWED_HOSTS).")
        if headers.stands("origin") and headers.one("origin").lower() not in self.address.origins:
            raise Refusal(403, "origin", "Pages of that Origin may not call (MCP_ALLOWED_ORIGINS).")
        if self.address.needs_tls and not self._is_secure(scope, headers):
            raise Refusal(403, "plain-http", "Tokens are taken over https only.")
        if scope["method"] != "POST":
            raise Refusal(405, "method", "POST only: nothing is streamed outside a call.", allow="POST")
        if doubled := headers.twice(_SAID_ONCE):
            raise Refusal(400, "header", f"The header {doubled} stands there twice, so it says nothing.")

    def _is_secure(self, scope: ASGIScope, headers: Headers) -> bool:
        told = headers.one("x-forwarded-proto") if self.address.trusts_proxy else ""
        return "https" in (scope.get("scheme"), told)

    async def _known(self, headers: Headers) -> Caller:
        secret = headers.bearer()
        if not secret:
            raise self._unauthorised("no token was sent", "")
        try:
            caller = await self.threads.run(lambda: self._verified(secret), seconds=_SECONDS)
        except TokenRefused as refused:
            raise self._unauthorised(refused.reason, "invalid_token") from refused
        self.lately.keep(secret, caller)
        return caller

    def _verified(self, secret: str) -> Caller:
        registry.current()  # loaded here, in a thread, where the first request would else stop all others
        return tokens.verify(secret, audience=self.address.base_url, now=datetime.now(UTC))

    async def _body(self, receive: Receive, headers: Headers) -> bytes:
        most = self.address.most_bytes
        try:
            return await requests.body_of(receive, headers, most=most, seconds=_SECONDS)
        except requests.TooLarge:
            raise Refusal(413, "size", f"At most {most} bytes are taken (MCP_MAX_BYTES).") from None

    def _look_at_scope(self, caller: Caller, message: Mapping[str, Any]) -> None:
        name = requests.called_tool(message)
        needed = listing.needed(name, self.own) if name else None
        if needed is not None and needed not in caller.scopes:
            raise self._lacking(caller, {needed}, f"{name[:100]} needs the scope {needed}.")
        if not caller.scopes & set(OPENING):
            raise self._lacking(caller, set(OPENING), "The token opens nothing here.")

    def _unauthorised(self, reason: str, error: str) -> Refusal:
        said = f"{reason[:1].upper()}{reason[1:]}. How to get a token: {HOWTO}"
        word = "no-token" if not error else "token"
        return Refusal(401, word, said, www_authenticate=self._challenge(error, said, OPENING))

    def _lacking(self, caller: Caller, needed: set[Scope], said: str) -> Refusal:
        wanted = [scope for scope in Scope if scope in needed | caller.scopes]
        challenge = self._challenge("insufficient_scope", said, wanted)
        return Refusal(403, "scope", said, www_authenticate=challenge)

    def _challenge(self, error: str, said: str, scopes: tuple[Scope, ...] | list[Scope]) -> str:
        parts = {"realm": "assay", "scope": " ".join(scopes)}
        if error:
            parts |= {"error": error, "error_description": said}
        if self.address.issuer:
            parts["resource_metadata"] = self.address.metadata_url
        return "Bearer " + ", ".join(f'{name}="{_quotable(value)}"' for name, value in parts.items())

    async def _refuse(self, refusal: Refusal, headers: Headers, send: Send) -> None:
        name = _name_in(refusal)
        secret = "" if name else headers.bearer()
        via = f"mcp {headers.one('mcp-protocol-version')[:20]} over http"

        def note() -> None:
            token = name or (tokens.name_of(secret) if secret else "")
            self.refusals.note(refusal.status, refusal.reason, token=token, said=refusal.said, via=via)

        with suppress(Busy, TooSlow, DatabaseError):  # the caller is answered all the same
            await self.threads.run(note, seconds=_SECONDS)
        told: dict[str, Any] = {"error": refusal.said, "reason": refusal.reason}
        if isinstance(refusal.__cause__, requests.Malformed):
            error = {"code": refusal.__cause__.code, "message": refusal.said}
            told = {"jsonrpc": "2.0", "id": None, "error": error}
        await requests.answer(send, refusal.status, told, **refusal.headers)


def _message(body: bytes) -> Mapping[str, Any]:
    try:
        return requests.message_in(body)
    except requests.Malformed as malformed:
        raise Refusal(400, "message", str(malformed)) from malformed


def _name_in(refusal: Refusal) -> str:
    cause = refusal.__cause__
    return cause.name if isinstance(cause, TokenRefused) else ""


def _quotable(text: str) -> str:
    return "".join(sign if " " <= sign <= "~" and sign not in '"\\' else "?" for sign in text)
