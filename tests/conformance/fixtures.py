"""The tools that the conformance suite asks for. They exist in its runs only."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from toolbox.mcp.answers import Told
from toolbox.mcp.server import Context, Desk

_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
_WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
_NOTHING: dict[str, Any] = {"type": "object", "additionalProperties": False}
_ADDRESS = {
    "$anchor": "addressDef",
    "type": "object",
    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
}
_WHOLE_DIALECT: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": _ADDRESS},
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
_WITH_HEADER: dict[str, Any] = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
}


def _text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def _image() -> types.ImageContent:
    return types.ImageContent(type="image", data=_PNG, mime_type="image/png")


def _resource(uri: str, kind: str, words: str) -> types.EmbeddedResource:
    inside = types.TextResourceContents(uri=uri, mime_type=kind, text=words)
    return types.EmbeddedResource(type="resource", resource=inside)


def _fixed(*content: Any, is_error: bool = False) -> Callable[[Context], Awaitable[types.CallToolResult]]:
    async def answer(_: Context) -> types.CallToolResult:
        return types.CallToolResult(content=list(content), is_error=is_error)

    return answer


async def _with_progress(ctx: Context) -> types.CallToolResult:
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100)
        await asyncio.sleep(0.05)
    return types.CallToolResult(content=[_text("done")])


async def _missing_capability(_: Context) -> types.CallToolResult:
    raise MCPError(-32021, "sampling is needed", {"requiredCapabilities": {"sampling": {}}})


ANSWERS: dict[str, Callable[[Context], Awaitable[types.CallToolResult]]] = {
    "test_simple_text": _fixed(_text("This is a simple text response for testing.")),
    "test_image_content": _fixed(_image()),
    "test_audio_content": _fixed(types.AudioContent(type="audio", data=_WAV, mime_type="audio/wav")),
    "test_embedded_resource": _fixed(
        _resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ),
    "test_multiple_content_types": _fixed(
        _text("Multiple content types test:"),
        _image(),
        _resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
    "test_error_handling": _fixed(
        _text("This tool intentionally returns an error for testing"), is_error=True
    ),
    "test_tool_with_progress": _with_progress,
    "test_missing_capability": _missing_capability,
    "json_schema_2020_12_tool": _fixed(_text("ok")),
    "test_header": _fixed(_text("ok")),
}
_INPUTS: dict[str, dict[str, Any]] = {"json_schema_2020_12_tool": _WHOLE_DIALECT, "test_header": _WITH_HEADER}


class FixtureDesk(Desk):
    """Our desk with the suite's tools beside those that are there anyway."""

    async def list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """List the usual tools and the suite's."""
        usual = await super().list_tools(ctx, params)
        extra = [
            types.Tool(name=name, description=f"Fixture {name}", input_schema=_INPUTS.get(name, _NOTHING))
            for name in ANSWERS
        ]
        return usual.model_copy(update={"tools": sorted(usual.tools + extra, key=lambda tool: tool.name)})

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> Told:
        """Answer the suite's tools as it expects, all others as usual."""
        if params.name in ANSWERS:
            return await ANSWERS[params.name](ctx)
        return await super().call_tool(ctx, params)


def input_schema(name: str) -> dict[str, Any] | None:
    """Return the input schema of one of the suite's tools."""
    return _INPUTS.get(name, _NOTHING) if name in ANSWERS else None


async def no_prompts(_: Context, params: object) -> types.ListPromptsResult:
    """There are none."""
    return types.ListPromptsResult(prompts=[], ttl_ms=0, cache_scope="private")


async def no_resources(_: Context, params: object) -> types.ListResourcesResult:
    """There are none."""
    return types.ListResourcesResult(resources=[], ttl_ms=0, cache_scope="private")


async def no_templates(_: Context, params: object) -> types.ListResourceTemplatesResult:
    """There are none."""
    return types.ListResourceTemplatesResult(resource_templates=[], ttl_ms=0, cache_scope="private")
