"""The MCP server over standard input and output: a token from the environment, nothing but protocol."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from accounts import tokens
from audit import reading
from tests.servers import ROOT
from tests.web import mcp_process
from tests.web.mcp_world import LEGACY, MODERN, a_token, expire

BASE = "http://localhost:8000"
HELLO = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


@pytest.fixture
def environment(process_environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    return {**process_environment, "BASE_URL": BASE, **mcp_process.variables(tmp_path)}


class Talk:
    """The command in a process of its own, spoken to line by line."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "mcp_stdio"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ask(self, given: Any) -> dict[str, Any]:
        """Send one message; return the next line as JSON, or nothing for a notification."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(given) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline()) if "id" in given else {}

    def end(self) -> tuple[int, str, str]:
        """Let its input end; return its exit code and all that was still printed."""
        rest, errors = self.process.communicate(timeout=30)
        return self.process.returncode, rest, errors


def message(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@pytest.mark.parametrize("token", ["", "nonsense", "expired", "elsewhere"])
def test_without_a_token_that_opens_it_ends_at_once_and_says_why(
    committed_db: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], token: str
) -> None:
    secret = token
    if token == "expired":
        secret = a_token("expired", audience=BASE)
        expire("expired")
    if token == "elsewhere":
        secret = a_token("elsewhere", audience="https://other.example")
    monkeypatch.setenv("ASSAY_TOKEN", secret)
    with pytest.raises(CommandError, match="ASSAY_TOKEN") as refused:
        call_command("mcp_stdio")
    assert capsys.readouterr().out == ""
    assert not secret.startswith("assay_") or secret not in str(refused.value)
    assert "ASSAY_TOKEN" not in os.environ


def test_it_writes_protocol_alone_and_ends_with_its_input(environment: dict[str, str]) -> None:
    secret = a_token("pipe", audience=BASE)
    talk = Talk({**environment, "ASSAY_TOKEN": secret})
    assert talk.ask(message(1, "initialize", **HELLO))["result"]["serverInfo"]["name"] == "assay"
    talk.ask({"jsonrpc": "2.0", "method": "notifications/initialized"})
    listed = talk.ask(message(2, "tools/list"))["result"]["tools"]
    assert {tool["name"] for tool in listed} >= {"search_lines", "list_rules"}
    call = {"name": "search_lines", "arguments": mcp_process.QUESTION}
    structured = talk.ask(message(3, "tools/call", **call))["result"]["structuredContent"]
    assert structured["status"] == "observed"
    assert talk.ask(message(4, "tools/call", name="search_lines", arguments={}))["result"]["isError"] is True
    assert talk.ask(message(5, "tools/call", name="nonesuch", arguments={}))["error"]["code"] == -32602
    code, rest, errors = talk.end()
    assert (code, rest) == (0, ""), errors
    assert secret not in errors
    entry = reading.entry(structured["entry"])
    assert entry is not None
    assert entry.payload is not None
    assert (entry.actor, entry.payload["via"]) == ("token:pipe", f"mcp {LEGACY} over stdio")


def test_a_token_that_is_revoked_meanwhile_opens_nothing_more(environment: dict[str, str]) -> None:
    secret = a_token("fleeting", audience=BASE)
    server = StdioServerParameters(
        command=sys.executable,
        args=["manage.py", "mcp_stdio"],
        cwd=str(ROOT),
        env={**environment, "ASSAY_TOKEN": secret},
    )

    async def talk() -> tuple[bool, str]:
        async with Client(stdio_client(server), mode=MODERN) as agent:
            first = await agent.call_tool("search_lines", mcp_process.QUESTION)
            await asyncio.to_thread(_revoke, "fleeting")
            try:
                await agent.call_tool("search_lines", mcp_process.QUESTION)
            except Exception as error:  # noqa: BLE001 whatever the SDK raises, its words are looked at
                return bool(first.is_error), str(error)
        return bool(first.is_error), "it was answered"

    is_error, words = asyncio.run(talk())
    assert (is_error, words) == (False, "The token opens nothing: the token was revoked.")


def _revoke(name: str) -> None:
    from django.db import connections

    try:
        tokens.revoke(name, by="administrator", because="tests", now=timezone.now())
    finally:
        connections.close_all()
