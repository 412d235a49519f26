"""The least that the SDK can do for a tool call: one tool without arguments that asks a wrapped SELECT 1.

Read-only as every question of ours is (BEGIN READ ONLY, DECLARE, FETCH, ROLLBACK), through a kept connection
and in a thread, as a blocking driver demands. Nothing is checked and nothing is kept.
"""

import os
from typing import Any

import anyio.to_thread
import mcp_types as types
import psycopg
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

Link = psycopg.Connection[tuple[Any, ...]]
_link: Link = psycopg.connect(os.environ["BENCH_READER_URL"], autocommit=True)


def wrapped_select(link: Link) -> int:
    """Ask SELECT 1 in the way in which every question is asked."""
    link.execute("BEGIN READ ONLY")
    link.execute("DECLARE one NO SCROLL CURSOR FOR SELECT 1")
    ((value,),) = link.execute("FETCH 2 FROM one").fetchall()
    link.execute("ROLLBACK")
    return int(value)


async def _list(_: Any, params: object) -> types.ListToolsResult:
    tool = types.Tool(name="one", description="", input_schema={"type": "object"})
    return types.ListToolsResult(tools=[tool], ttl_ms=0, cache_scope="private")


async def _call(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    value = await anyio.to_thread.run_sync(wrapped_select, _link) if params.name == "one" else 1
    text = types.TextContent(type="text", text=f'{{"value":{value}}}')
    return types.CallToolResult(content=[text], structured_content={"value": value})


_server: Server[Any] = Server("bare", version="1", on_list_tools=_list, on_call_tool=_call)
application = _server.streamable_http_app(
    stateless_http=True,
    json_response=True,
    transport_security=TransportSecuritySettings(allowed_hosts=["localhost"], allowed_origins=[]),
)
