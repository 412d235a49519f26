"""Calls over MCP: what an agent gets, what it is refused, and what the audit log keeps of it."""

import json

import pytest

from audit import reading
from tests.web.mcp_world import Agent, World, committed_module, mcp

__all__ = ["committed_module", "mcp"]


@pytest.fixture
def agent(mcp: World) -> Agent:
    return mcp.agent("caller")


def test_an_answer_is_structured_names_its_entry_and_stands_as_text_too(agent: Agent) -> None:
    result = agent.call("find_job", job_id="job-7")
    structured = result["structuredContent"]
    assert (structured["status"], structured["result"]) == ("observed", {"job": {"state": "completed"}})
    assert json.loads(result["content"][0]["text"]) == structured
    stored = reading.entry(structured["entry"])
    assert stored is not None
    assert stored.payload is not None
    assert (stored.actor, stored.payload["via"]) == ("token:caller", "mcp 2026-07-28 over http")
