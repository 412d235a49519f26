"""The least that the SDK can do for a tool call: one tool without arguments, nothing asked, nothing kept."""

from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings


async def _list(_: Any, params: object) -> types.ListToolsResult:
    tool = types.Tool(name="echo", description="", input_schema={"type": "object"})
    return types.ListToolsResult(tools=[tool], ttl_ms=0, cache_scope="private")


async def _call(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    text = types.TextContent(type="text", text='{"value":1}')
    return types.CallToolResult(content=[text], structured_content={"value": 1})


_server: Server[Any] = Server("bare", version="1", on_list_tools=_list, on_call_tool=_call)
application = _server.streamable_http_app(
    stateless_http=True,
    json_response=True,
    transport_security=TransportSecuritySettings(allowed_hosts=["localhost"], allowed_origins=[]),
)
