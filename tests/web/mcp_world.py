"""The MCP server in this process for tests: real commits, scripted tools, agents that talk plain HTTP."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from django.contrib.auth.models import Group
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from accounts import tokens
from accounts.models import Token, User
from accounts.roles import Role
from assay_core.results import Status
from investigations import rulebook
from tests.db import investigated
from tests.servers import Servers
from toolbox import registry
from toolbox.connectors.base import Outcome
from toolbox.definitions import Limits, SqlQuestion, Statement, ToolDefinition
from toolbox.mcp import front
from toolbox.mcp.door import Address
from toolbox.registry import Toolbox
from triage.mcp_tools import House
from triage.together import together
from verdicts.rule import spec_of
from verdicts.rulebook import Rulebook

BASE = "https://assay.example"
HOST = "assay.example"
MODERN = "2026-07-28"
LEGACY = "2025-11-25"
JOB = {
    "type": "object",
    "additionalProperties": False,
    "required": ["job"],
    "properties": {"job": {"$ref": "#/$defs/job"}},
    "$defs": {"job": {"type": "object", "required": ["state"], "properties": {"state": {"type": "string"}}}},
}


@dataclass(slots=True)
class World:
    """A running server, what its connector answers, and agents with tokens."""

    portal: BlockingPortal
    application: Any
    connector: investigated.Scripted
    front: front.Front
    secrets: dict[str, str] = field(default_factory=dict)

    def agent(self, name: str, *scopes: str, **more: Any) -> "Agent":
        """Return an agent with a token of that name, made on first use."""
        if name not in self.secrets:
            self.secrets[name] = a_token(name, *scopes, **more)
        return Agent(self, self.secrets[name])

    def post(self, body: bytes | str, headers: Mapping[str, str], path: str = "/mcp") -> httpx.Response:
        """Post bytes as they are."""
        return self.send("POST", path, headers, body)

    def send(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | str | None = None
    ) -> httpx.Response:
        """Send a request as it is."""

        raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]

        async def once() -> httpx.Response:
            transport = httpx.ASGITransport(self.application, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url=BASE, timeout=30) as client:
                return await client.request(method, path, content=body, headers=raw)

        return self.portal.call(once)


@dataclass(slots=True)
class Agent:
    """Somebody who speaks MCP over HTTP with one token."""

    world: World
    secret: str

    def headers(self, **more: str) -> dict[str, str]:
        """Return what every request carries. Names are written with _ for -; an empty value leaves out."""
        whole = {
            "Authorization": f"Bearer {self.secret}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Host": HOST,
        }
        whole |= {name.replace("_", "-"): value for name, value in more.items()}
        return {name: value for name, value in whole.items() if value}

    def legacy(self, method: str, params: Mapping[str, Any] | None = None, **headers: str) -> httpx.Response:
        """Send one request of the handshake era, without a handshake: the server keeps no session."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params or {})}
        return self.world.post(json.dumps(body), self.headers(**{"MCP_Protocol_Version": LEGACY, **headers}))

    def modern(self, method: str, params: Mapping[str, Any] | None = None, **headers: str) -> httpx.Response:
        """Send one request of the stateless era."""
        whole = dict(params or {})
        whole["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            **whole.get("_meta", {}),
        }
        named = {"Mcp_Name": whole["name"]} if "name" in whole else {}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": whole}
        usual = {"MCP_Protocol_Version": MODERN, "Mcp_Method": method, **named}
        return self.world.post(json.dumps(body), self.headers(**{**usual, **headers}))

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its result; fail the test for anything else."""
        answer = self.modern("tools/call", {"name": tool, "arguments": arguments})
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()["result"]
        return result

    def names(self) -> list[str]:
        """Return the names of the tools that are listed for this agent."""
        return [tool["name"] for tool in self.modern("tools/list").json()["result"]["tools"]]


def person(username: str = "ada", role: Role = Role.ON_CALL) -> User:
    """Return the person of this name, made with this role on first use."""
    found = User.objects.filter(username=username).first()
    if found is None:
        found = User.objects.create_user(username)
        found.groups.add(Group.objects.get(name=role.value))
    return found


def a_token(name: str, *scopes: str, owner: User | None = None, **more: Any) -> str:
    """Make a token and return its secret."""
    wanted = tokens.Wanted(
        name=name,
        scopes=scopes or ("read", "tools", "submit"),
        audience=more.pop("audience", BASE),
        lasts=more.pop("lasts", timedelta(days=1)),
        **more,
    )
    return tokens.make(wanted, owner=owner or person(), by="administrator", now=timezone.now())[1]


def expire(name: str) -> None:
    """Let a token have ended a minute ago."""
    then = timezone.now() - timedelta(days=2)
    Token.objects.filter(name=name).update(created_at=then, expires_at=then + timedelta(days=1))


def tool(name: str, output: Mapping[str, Any], **properties: Any) -> ToolDefinition:
    """Return the definition of a scripted tool."""
    given = {
        "type": "object",
        "additionalProperties": False,
        "required": sorted(properties),
        "properties": properties,
    }
    return ToolDefinition(
        name=name,
        title=name.replace("_", " "),
        description=f"The scripted tool {name}.",
        connector="scripted",
        input=given,
        output=output,
        shape="one",
        key="job",
        question=SqlQuestion(Statement("SELECT 1")),
        limits=Limits(seconds=0.2),
        normalise={},
        defaults={},
        covers={},
        plain={"name": name, "input": given},
    )


def definitions() -> dict[str, ToolDefinition]:
    """Return the scripted tools."""
    text = {"type": "string", "maxLength": 80}
    made = (
        tool("find_job", JOB, job_id=text),
        tool("count_errors", {"type": "object"}, query=text, since=text),
        tool("odd", {"type": "object"}),
    )
    return {each.name: each for each in made}


@contextmanager
def served(monkeypatch: pytest.MonkeyPatch, *, sends_json: bool = True, **address: Any) -> Iterator[World]:
    """Serve the scripted tools until the context ends."""
    connector = investigated.Scripted()
    connector.answers["odd"] = Outcome(Status.OBSERVED, {})
    toolbox = Toolbox(definitions(), {"scripted": connector})
    specs = {spec.name: spec for spec in map(spec_of, investigated.RULES)}
    book = Rulebook(rules=specs, shapes=toolbox.shapes(), suspended=frozenset(), broken={})
    monkeypatch.setattr(registry, "current", lambda: toolbox)
    monkeypatch.setattr(rulebook, "loaded_rulebook", lambda: book)
    whole: dict[str, Any] = {
        "base_url": BASE,
        "hosts": frozenset({HOST}),
        "origins": frozenset({BASE}),
        "most_bytes": 65_536,
    }
    made = front.make(Address(**{**whole, **address}), House(), sends_json=sends_json)

    async def django(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError(f"{scope['path']} is not the MCP server's")

    with start_blocking_portal() as portal, portal.wrap_async_context_manager(made.opened()):
        yield World(portal, together(django, made), connector, made)


@pytest.fixture(scope="module")
def committed_module(
    servers: Servers, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """A database in which commits are real, for all tests of a module."""
    import contextlib

    import redis
    from django.db import connections

    with django_db_blocker.unblock():
        yield
        connections.close_all()
    servers.clone()
    with contextlib.closing(redis.from_url(servers.redis_url)) as broker:
        broker.flushall()


@pytest.fixture(scope="module")
def mcp(committed_module: None) -> Iterator[World]:
    """The server as in production: JSON answers."""
    with pytest.MonkeyPatch.context() as patch, served(patch) as world:
        yield world


def together_in_threads(count: int, once: Callable[[int], Any]) -> list[Any]:
    """Do it that many times at the same moment; return the results in order."""
    results: list[Any] = [None] * count
    gate = threading.Barrier(count)

    def work(place: int) -> None:
        gate.wait(60)
        results[place] = once(place)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results
