"""What the tests of real MCP processes share: a running server with one tool over a folder of logs."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.conftest import wait_until
from tests.servers import ROOT, Servers
from triage.local import processes

TOOLS = """
connector: logs
tools:
  - name: search_lines
    title: Lines of the log
    description: Lines that hold a text.
    input:
      type: object
      additionalProperties: false
      required: [query, since, until]
      properties:
        query: {type: string, minLength: 1, maxLength: 80}
        since: {type: string, format: date-time}
        until: {type: string, format: date-time}
    output: {type: object}
    log: {where: [{field: message, contains: query}], since: since, until: until, count: false}
    limits: {rows: 50, bytes: 65536, seconds: 5}
"""
CONNECTORS = "connectors: {logs: {kind: jsonlines, title: Logs, folder_env: MCP_TEST_LOGS}}\n"
QUESTION = {"query": "boom", "since": "2026-03-01T00:00:00Z", "until": "2026-03-02T00:00:00Z"}


def variables(folder: Path) -> dict[str, str]:
    """Write the tool, its connector and one line of log; return the settings that offer them."""
    (folder / "logs").mkdir()
    line = {"ts": "2026-03-01T12:00:00Z", "level": "error", "service": "a", "tenant": "t", "message": "boom"}
    (folder / "logs" / "a.jsonl").write_text(json.dumps(line) + "\n")
    (folder / "tools.yaml").write_text(TOOLS)
    (folder / "connectors.yaml").write_text(CONNECTORS)
    return {
        "TRIAGE_TOOLS": str(folder / "tools.yaml"),
        "TRIAGE_CONNECTORS": str(folder / "connectors.yaml"),
        "MCP_TEST_LOGS": str(folder / "logs"),
    }


@contextmanager
def serving(
    servers: Servers, port: int, *arguments: str, application: str = "triage.asgi:application", **more: str
) -> Iterator[str]:
    """Serve on a port of this machine until the context ends; yields the address."""
    address = f"http://localhost:{port}"
    process = subprocess.Popen(
        [
            sys.executable, "-m", "uvicorn", application, "--port", str(port), "--lifespan", "on",
            "--log-level", "warning", "--timeout-graceful-shutdown", "1", *arguments,
        ],
        cwd=ROOT,
        env={**servers.environment(), "BASE_URL": address, **more},
        start_new_session=True,
        preexec_fn=processes.dies_with_parent(signal.SIGKILL),
    )  # fmt: skip
    try:
        wait_until(lambda: process.poll() is not None or status(f"{address}/healthz") == 200, seconds=60)
        assert process.poll() is None, "the web process ended at once; see its output above"
        yield address
    finally:
        processes.end(process.pid, gently=signal.SIGTERM, seconds=10, whole_group=True)
        process.wait(10)


def status(address: str) -> int:
    """Return the status that an address answers with; 0 where nothing answers."""
    try:
        return httpx.get(address, timeout=5).status_code
    except httpx.HTTPError:
        return 0
