"""Django and the MCP server as one ASGI application. Its lifespan is the MCP server's: Django has none."""

import logging

from toolbox.mcp.front import PATH, Front
from toolbox.mcp.requests import App, ASGIScope, Receive, Send

_log = logging.getLogger(__name__)


def together(django: App, mcp: Front) -> App:
    """Return an application that sends each request to the one it is for, by its exact path."""

    async def application(scope: ASGIScope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(mcp, receive, send)
        elif scope["type"] == "http" and scope["path"] in (PATH, f"{PATH}/"):
            await mcp.door(scope, receive, send)
        else:
            await django(scope, receive, send)

    return application


async def _live(mcp: Front, receive: Receive, send: Send) -> None:
    """Begin and end the MCP server in this one task, as its task group demands."""
    await receive()
    is_begun = False
    try:
        async with mcp.opened():
            is_begun = True
            await send({"type": "lifespan.startup.complete"})
            await receive()
    except Exception as error:  # noqa: BLE001 the server is told, and ends with the reason
        _log.exception("the MCP server did not begin or end well")
        end = "shutdown" if is_begun else "startup"
        await send({"type": f"lifespan.{end}.failed", "message": f"{type(error).__name__}: {error}"})
        return
    await send({"type": "lifespan.shutdown.complete"})
