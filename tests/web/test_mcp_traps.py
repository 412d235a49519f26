"""Traps of serving MCP beside Django: each was fallen into somewhere, and is held shut here."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from tests.web.mcp_world import (
    BASE,
    HOST,
    MODERN,
    Agent,
    World,
    committed_module,
    mcp,
    served,
    together_in_threads,
)
from tests.web.test_mcp_calls import count_of
from toolbox.mcp import front, listing
from toolbox.mcp.door import Address
from triage.mcp_tools import House
from triage.together import together

__all__ = ["committed_module", "mcp"]


@pytest.fixture(autouse=True)
def _go_on(mcp: World) -> Iterator[None]:
    yield
    mcp.connector.before_answer = lambda tool: None


def closed() -> front.Front:
    address = Address(BASE, frozenset({HOST}), frozenset({BASE}), 65_536)
    return front.make(address, House(), sends_json=True)


async def _never(scope: Any, receive: Any, send: Any) -> None:
    raise AssertionError(f"Django was handed a scope of type {scope['type']}")


def test_the_lifespan_is_the_mcp_servers_and_never_reaches_django(mcp: World) -> None:
    made, told = closed(), []

    async def live() -> None:
        steps = iter(["lifespan.startup", "lifespan.shutdown"])

        async def receive() -> Any:
            return {"type": next(steps)}

        async def send(message: Any) -> None:
            told.append((message["type"], made.door.is_open))

        await together(_never, made)({"type": "lifespan"}, receive, send)

    asyncio.run(live())
    assert told == [("lifespan.startup.complete", True), ("lifespan.shutdown.complete", False)]


def test_without_a_lifespan_it_answers_503_and_says_what_to_do(mcp: World) -> None:
    agent = mcp.agent("trapped")
    lone = World(mcp.portal, together(_never, closed()), mcp.connector, mcp.front)
    answer = lone.post(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}), agent.headers())
    assert (answer.status_code, "--lifespan on" in answer.text) == (503, True)


def test_a_server_that_cannot_begin_says_so_to_the_process(mcp: World) -> None:
    told: list[Any] = []

    async def live() -> None:
        made = closed()

        async def receive() -> Any:
            return {"type": "lifespan.startup"}

        async def send(message: Any) -> None:
            told.append(message)

        async with made.opened():
            pass
        await together(_never, made)({"type": "lifespan"}, receive, send)

    asyncio.run(live())
    assert told[0]["type"] == "lifespan.startup.failed"
    assert "only be called once" in told[0]["message"]


def test_a_call_does_not_list_all_tools_first(mcp: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise AssertionError("the tools were listed")

    monkeypatch.setattr(listing, "listed", fail)
    agent = mcp.agent("trapped")
    assert agent.call("find_job", job_id="a")["isError"] is False


def test_calls_of_one_process_run_side_by_side(mcp: World) -> None:
    agent, inside = mcp.agent("trapped"), threading.Barrier(3)
    agent.call("odd")
    mcp.connector.before_answer = lambda tool: inside.wait(20)  # all three are in there at once, or none ends
    answers = together_in_threads(3, lambda _: agent.call("odd")["isError"])
    assert answers == [False] * 3


@pytest.mark.parametrize("sends_json", [True, False])
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_client_that_hangs_up_changes_nothing_about_the_entry(
    mcp: World, monkeypatch: pytest.MonkeyPatch, era: str, sends_json: bool
) -> None:
    with served(monkeypatch, sends_json=sends_json) as world:
        name = f"gone-{era}-{'json' if sends_json else 'stream'}"
        agent, go_on, is_inside = world.agent(name), threading.Event(), threading.Event()

        def wait(tool: str) -> None:
            is_inside.set()
            go_on.wait(20)

        world.connector.before_answer = wait
        before = count_of("tool.called")
        world.portal.call(_hang_up, world, agent, era, is_inside, go_on)
        until = time.monotonic() + 20
        while count_of("tool.called") == before:
            assert time.monotonic() < until, "the entry is missing"
            time.sleep(0.02)
        world.connector.before_answer = lambda tool: None
        assert agent.call("odd")["isError"] is False


async def _hang_up(
    world: World, agent: Agent, era: str, is_inside: threading.Event, go_on: threading.Event
) -> None:
    """Send a call, hang up as soon as the tool runs, and let the tool end after that."""
    params: dict[str, Any] = {"name": "odd", "arguments": {}}
    headers = agent.headers(MCP_Protocol_Version="2025-11-25")
    if era == "modern":
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers = agent.headers(MCP_Protocol_Version=MODERN, Mcp_Method="tools/call", Mcp_Name="odd")
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http", "method": "POST", "path": "/mcp", "raw_path": b"/mcp", "query_string": b"",
        "headers": raw, "scheme": "https", "http_version": "1.1", "server": (HOST, 443), "root_path": "",
    }  # fmt: skip
    given = False

    async def receive() -> Any:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        while not is_inside.is_set():
            await asyncio.sleep(0.01)
        go_on.set()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        """Whatever is sent now goes nowhere."""

    call = asyncio.ensure_future(world.application(scope, receive, send))
    while not is_inside.is_set():
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    go_on.set()
    await asyncio.wait_for(call, 20)


def test_what_the_sdk_traces_by_default_is_off(mcp: World) -> None:
    assert mcp.front.sessions.app.middleware == []


def test_the_limit_of_the_sdks_own_body_cap_is_ours(mcp: World) -> None:
    assert mcp.front.sessions.max_request_body_size == mcp.front.door.address.most_bytes


def test_a_data_tool_that_is_named_like_an_own_tool_is_not_there(
    mcp: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.web.mcp_world import tool
    from toolbox import registry

    usual = registry.current()
    impostor = tool("submit_findings", {"type": "object"})
    more = {**usual.definitions, "submit_findings": impostor}
    monkeypatch.setattr(registry, "current", lambda: type(usual)(more, usual.connectors))
    asks = mcp.agent("impostor", "tools")
    assert "submit_findings" not in asks.names()
    assert mcp.agent("trapped").names().count("submit_findings") == 1
    answer = asks.legacy("tools/call", {"name": "submit_findings", "arguments": {}})
    assert answer.status_code == 403
    connection.close()
