"""A world for the guards of a model's run: the scripted tools, and a trace store on a real socket."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from investigations import services
from investigations.citations import LookUp, Pattern, declared
from investigations.citations.patterns import trace
from investigations.models import Investigation
from tests.db.investigated import Scripted, ignore, never, world
from tests.fakes.server import FakeServer, serving
from tests.fakes.toolboxes import load
from tests.fakes.traces import FakeSpan, FakeTempo
from toolbox import proofs, registry
from toolbox.registry import Toolbox

KNOWN = ("4bf92f3577b34da6a3ce929d0e0e4736", "0af7651916cd43dd8448eb211c80319c")
INVENTED = "deadbeefdeadbeefdeadbeefdeadbeef"
_CONNECTORS = """\
connectors:
  traces: {kind: tempo, title: Traces, url_env: TEST_URL, networks: [127.0.0.0/8], connections: 2}
"""
_TOOLS = """\
connector: traces
tools:
  - name: find_trace
    title: One trace by its id
    description: The spans of one trace.
    input:
      type: object
      additionalProperties: false
      required: [trace_id, since]
      properties:
        trace_id: {type: string}
        since: {type: string, format: date-time}
        until: {type: string, format: date-time}
    output: {type: object}
    limits: {rows: 5, seconds: 30}
    trace: trace_id
    window: {since: since, until: until}
    normalise: {trace_id: [strip, lower]}
"""
PATTERNS = (
    trace(LookUp("find_trace", "trace_id", since="since"), "https://traces.example/{id}"),
    Pattern("job", re.compile(r"\bjob-[0-9]+\b"), LookUp("find_job", "job_id")),
)


@contextmanager
def store(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[tuple[Scripted, FakeServer]]:
    """Serve the scripted tools beside a trace store that knows two traces; ids are looked up in both."""
    connector = world(monkeypatch)
    scripted = registry.current()
    proofs.forget()
    with serving(FakeTempo({each: [FakeSpan("00f067aa0ba902b7")] for each in KNOWN})) as server:
        monkeypatch.setenv("TEST_URL", server.url)
        traces = load(folder, _CONNECTORS, _TOOLS)
        whole = Toolbox(
            {**scripted.definitions, **traces.definitions}, {**scripted.connectors, **traces.connectors}
        )
        monkeypatch.setattr(registry, "current", lambda: whole)
        monkeypatch.setattr(declared, "current", lambda: PATTERNS)
        book = _with_tools(whole)
        monkeypatch.setattr("investigations.rulebook.loaded_rulebook", lambda: book)
        yield connector, server
        traces.close()
    proofs.forget()


def _with_tools(toolbox: Toolbox) -> Any:
    from dataclasses import replace

    from investigations import rulebook

    return replace(rulebook.loaded_rulebook(), shapes=toolbox.shapes())


def looked_up(server: FakeServer) -> list[str]:
    """Return the traces that the store was asked for, in order."""
    return [each.path.rpartition("/")[2] for each in server.asked if "/traces/" in each.path]


def run(row: Investigation) -> Investigation:
    """Run it to its verdict."""
    outcome = services.run(row.pk, on_judged=ignore, on_failed=never)
    assert outcome.judgement is not None, outcome
    row.refresh_from_db()
    return row
