"""A data tool's call over MCP and HTTP, beside a bare SDK server whose tool asks a wrapped SELECT 1.

The bare side does what no product can do without: the protocol (the SDK's own server with one tool, JSON
answers) and a read-only question (BEGIN READ ONLY, DECLARE, FETCH, ROLLBACK) of the same database. The other
side adds the token, the scope, the gateway's steps, the control question and the entry with its commit. All
are asked in turns over one kept connection each, in short rounds.
"""

import json
import secrets
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psycopg

from benchmarks.figures import figure, median
from benchmarks.gateway_call import CONNECTORS, TOOLS, reader
from benchmarks.stand import Stand, standing

ROUNDS, CALLS = 8, 60
GOAL = 2.5
VERSION = "2026-07-28"
_MAKE_TOKEN = """
from datetime import timedelta
from django.utils import timezone
from django.conf import settings
from accounts import tokens
from accounts.models import User
owner = User.objects.create_superuser("bench")
wanted = tokens.Wanted("bench", ("tools",), settings.BASE_URL, timedelta(days=1))
print(tokens.make(wanted, owner=owner, by="bench", now=timezone.now())[1])
"""


class Kept:
    """One kept HTTP/1.1 connection over which one request is sent again and again."""

    def __init__(self, port: int, tool: str, arguments: dict[str, object], token: str = "") -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._request = _request(tool, arguments, token)
        self.told = self.ask()

    def ask(self) -> dict[str, object]:
        """Send the request; return the result, or end with what was answered instead."""
        self._socket.sendall(self._request)
        received = self._received()
        while b"\r\n\r\n" not in received:
            received += self._received()
        head, _, body = received.partition(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length")
        )
        while len(body) < length:
            body += self._received()
        told: dict[str, object] = json.loads(body).get("result") or {}
        if b" 200 " not in head.split(b"\r\n")[0] or told.get("isError") or not told:
            raise SystemExit(f"not answered: {head!r} {body[:500]!r}")
        return told

    def _received(self) -> bytes:
        data = self._socket.recv(65_536)
        if not data:
            raise SystemExit("the server closed the connection")
        return data


def main() -> None:
    """Print the medians and their ratio."""
    with standing() as stand, tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tools.yaml").write_text(TOOLS)
        (Path(folder) / "connectors.yaml").write_text(CONNECTORS)
        stand.variables.update(
            TRIAGE_TOOLS=f"{folder}/tools.yaml",
            TRIAGE_CONNECTORS=f"{folder}/connectors.yaml",
            BENCH_READER_URL=reader(stand),
            BASE_URL="http://localhost",
            CALLER_CALLS_A_MINUTE="1000000",
            TOOL_CALLS_A_MINUTE="1000000",
            LOG_LEVEL="WARNING",
        )
        measure(stand)


def measure(stand: Stand) -> None:
    """Ask each in turn."""
    token = stand.run("manage.py", "shell", "--no-imports", "-c", _MAKE_TOKEN).strip().splitlines()[-1]
    bare_port = stand.serve("bare", "benchmarks.bare_mcp:application")
    web_port = stand.serve("web", "triage.asgi:application")
    # Both at once: an idle connection is closed after a few seconds.
    whole, bare = Kept(web_port, "find_thing", {"id": 7}, token), Kept(bare_port, "one", {})
    nothing = Kept(bare_port, "nothing", {})
    ways: dict[str, Callable[[], object]] = {
        "bare": bare.ask,
        "nothing": nothing.ask,
        "whole": whole.ask,
        "entry": entry_commit(stand),
    }
    rounds = [one_round(ways) for _ in range(ROUNDS + 1)][1:]  # the first warms up
    report(rounds)


def one_round(ways: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Ask each in turn for a while; return the medians in milliseconds."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(CALLS):
        for name, once in ways.items():
            begin = time.perf_counter()
            once()
            times[name].append((time.perf_counter() - begin) * 1000)
    return {name: median(taken) for name, taken in times.items()}


def entry_commit(stand: Stand) -> Callable[[], object]:
    """Return a commit of one row of an entry's size, the least that a durable record costs on this disk."""
    with psycopg.connect(stand.variables["DATABASE_OWNER_URL"]) as link:
        link.execute("CREATE TABLE bench_committed (id bigserial PRIMARY KEY, body text)")
    kept = psycopg.connect(stand.variables["DATABASE_OWNER_URL"], autocommit=True)
    body = secrets.token_hex(600)
    return lambda: kept.execute("INSERT INTO bench_committed (body) VALUES (%s)", [body])


def report(rounds: list[dict[str, float]]) -> None:
    """Print the figures: each is the median of the rounds, and so is the ratio."""
    ms = {name: median([one[name] for one in rounds]) for name in rounds[0]}
    ratio = median([one["whole"] / one["bare"] for one in rounds])
    without = median([(one["whole"] - one["entry"]) / one["bare"] for one in rounds])
    figure("bare SDK server, a tool that does nothing", ms["nothing"], "ms")
    figure("bare SDK server, a tool that asks a wrapped SELECT 1", ms["bare"], "ms")
    figure("one durable commit on this disk, for comparison", ms["entry"], "ms")
    figure("a data tool's call over MCP, with token, control question and entry", ms["whole"], "ms")
    figure("the same without that commit : bare server + wrapped SELECT 1", without, "")
    figure("MCP call : bare server + wrapped SELECT 1", ratio, "", goal=f"<= {GOAL}", is_met=ratio <= GOAL)


def _request(tool: str, arguments: dict[str, object], token: str) -> bytes:
    meta = {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    lines = [
        "POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json",
        "Accept: application/json, text/event-stream", f"MCP-Protocol-Version: {VERSION}",
        "Mcp-Method: tools/call", f"Mcp-Name: {tool}", f"Content-Length: {len(body)}",
        *([f"Authorization: Bearer {token}"] if token else []),
    ]  # fmt: skip
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


if __name__ == "__main__":
    main()
