"""The MCP server in the real web process: the SDK's own client in every mode, workers, rude clients."""

import asyncio
import http.client
import json
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from audit import reading
from tests.conftest import free_port
from tests.servers import Servers
from tests.web import mcp_process
from tests.web.mcp_world import LEGACY, MODERN, a_token, committed_module

__all__ = ["committed_module"]

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


@pytest.fixture(scope="module")
def web(servers: Servers, committed_module: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a web process of two workers that offers one tool."""
    offered = mcp_process.variables(tmp_path_factory.mktemp("mcp"))
    with mcp_process.serving(servers, free_port(), "--workers", "2", **offered) as address:
        yield address


def headers(token: str, version: str = LEGACY) -> dict[str, str]:
    return {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": version,
    }


@pytest.mark.parametrize("mode", ["legacy", "auto", MODERN])
def test_the_sdks_client_lists_and_calls_in_every_mode(web: str, mode: str) -> None:
    import httpx2

    token = a_token(f"sdk-{mode}", audience=web)

    async def talk() -> tuple[list[str], object]:
        client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=20)
        async with (
            client,
            Client(streamable_http_client(f"{web}/mcp", http_client=client), mode=mode) as agent,
        ):
            names = [tool.name for tool in (await agent.list_tools()).tools]
            result = await agent.call_tool("search_lines", mcp_process.QUESTION)
            return names, result.structured_content

    names, structured = asyncio.run(talk())
    assert names == ["get_investigation", "list_rules", "search_lines", "submit_findings"]
    assert isinstance(structured, dict)
    assert (structured["status"], structured["result"]["match_count"]) == ("observed", 1)
    entry = reading.entry(structured["entry"])
    assert entry is not None
    assert entry.actor == f"token:sdk-{mode}"


def test_any_of_several_workers_serves_any_client_and_none_keeps_a_session(web: str) -> None:
    token = a_token("many", audience=web)
    hello = {
        "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
    }  # fmt: skip
    begin = {**LIST, "method": "initialize", "params": hello}
    for _ in range(12):  # each on a connection of its own, so that both workers are met
        begun = httpx.post(f"{web}/mcp", json=begin, headers=headers(token))
        assert (begun.status_code, "mcp-session-id" in begun.headers) == (200, False)
        assert httpx.post(f"{web}/mcp", json=LIST, headers=headers(token)).status_code == 200


def test_pages_and_mcp_are_one_process_and_keep_apart(web: str) -> None:
    token = a_token("apart", audience=web)
    assert mcp_process.status(f"{web}/healthz") == 200
    assert httpx.get(f"{web}/", follow_redirects=False).headers["location"].startswith("/sign-in/")
    answer = httpx.post(f"{web}/mcp", json=LIST, headers=headers(token), follow_redirects=False)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert httpx.post(f"{web}/mcp/other", json=LIST, headers=headers(token)).status_code in (302, 403, 404)


@pytest.mark.parametrize("version", [LEGACY, MODERN])
def test_a_client_that_hangs_up_leaves_the_server_well(web: str, version: str) -> None:
    token = a_token(f"hasty-{version}", audience=web)
    body = _call(version)
    port = urlsplit(web).port
    lines = [
        "POST /mcp HTTP/1.1", f"Host: localhost:{port}", "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in headers(token, version).items()),
        "Mcp-Method: tools/call", "Mcp-Name: search_lines", "", "",
    ]  # fmt: skip
    with socket.create_connection(("127.0.0.1", port), timeout=10) as raw:
        raw.sendall("\r\n".join(lines).encode() + body)
    assert httpx.post(f"{web}/mcp", json=LIST, headers=headers(token)).status_code == 200


def test_a_body_that_never_ends_is_given_up_and_one_that_is_too_large_is_not_read(web: str) -> None:
    token, port = a_token("slow", audience=web), urlsplit(web).port
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    chunks = (b" " * 65_536 for _ in range(64))
    usual = {**headers(token), "Content-Type": "application/json", "Host": f"localhost:{port}"}
    connection.request("POST", "/mcp", chunks, {**usual, "Transfer-Encoding": "chunked"}, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as raw:
        head = "\r\n".join(f"{name}: {value}" for name, value in usual.items())
        raw.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\nContent-Length: 6000000000\r\n\r\n".encode())
        assert raw.recv(100).startswith(b"HTTP/1.1 413 ")


def _call(version: str) -> bytes:
    params: dict[str, object] = {"name": "search_lines", "arguments": mcp_process.QUESTION}
    if version == MODERN:
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    return json.dumps({**LIST, "method": "tools/call", "params": params}).encode()
