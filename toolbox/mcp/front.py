"""The MCP server as one ASGI application with a beginning and an end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from toolbox.mcp.door import BEHIND, Address, Door
from toolbox.mcp.parts import Behind, Surroundings
from toolbox.mcp.server import Desk, build
from toolbox.mcp.threads import Threads

PATH = "/mcp"


@dataclass(frozen=True, slots=True)
class Front:
    """The door, and the SDK's session manager behind it. It can be opened once."""

    door: Door
    sessions: StreamableHTTPSessionManager
    threads: Threads

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Serve while the context is open. Must be entered and left in one task."""
        async with self.sessions.run():
            self.door.is_open = True
            try:
                yield
            finally:
                self.door.is_open = False
                self.door.threads.close()
                self.threads.close()


async def behind(ctx: ServerRequestContext[Any, Any]) -> Behind:
    """Return who the door let in with the HTTP request that carried this message."""
    found = ctx.request.scope[BEHIND] if ctx.request is not None else None
    if not isinstance(found, Behind):
        raise PermissionError("a message reached the MCP server past its door")
    return found


def make(address: Address, surroundings: Surroundings, *, sends_json: bool) -> Front:
    """Return the server as it is in production: stateless, JSON answers, exact Host and Origin lists."""
    threads = Threads.configured()
    desk = Desk(surroundings, threads, behind, over="http")
    return in_front_of(build(desk), address, threads, surroundings, sends_json=sends_json)


def in_front_of(
    server: "Server[Any]",
    address: Address,
    threads: Threads,
    surroundings: Surroundings,
    *,
    sends_json: bool,
) -> Front:
    """Put the door in front of a server."""
    sessions = StreamableHTTPSessionManager(
        server,
        json_response=sends_json,
        stateless=True,
        max_request_body_size=address.most_bytes,
        # The door has looked at both already; the SDK looks again, at the same exact values.
        security_settings=TransportSecuritySettings(
            allowed_hosts=sorted(address.hosts), allowed_origins=sorted(address.origins)
        ),
    )
    # Calls may wait for a person, so the door has threads of its own: nobody waits to be let in.
    door = Door(
        sessions.handle_request, address, Threads.configured(), surroundings.own_tools(), is_whole=sends_json
    )
    return Front(door, sessions, threads)
