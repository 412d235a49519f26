"""The MCP endpoint has no verb on a proposed write: what asks for one is refused, and on record."""

import pytest
from django.db import connection

from tests.web.mcp_world import World, committed_module, mcp

__all__ = ["committed_module", "mcp"]


def _calls() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM audit_entry WHERE kind IN ('tool.called', 'token.refused')")
        return int(cursor.fetchone()[0])


@pytest.mark.parametrize("name", ["approve", "decide", "execute", "withdraw", "approvals/decide", "settle"])
def test_a_call_that_would_decide_a_write_is_refused_and_recorded(mcp: World, name: str) -> None:
    agent = mcp.agent("approver")
    before = _calls()
    answer = agent.modern("tools/call", {"name": name, "arguments": {"request": 1, "choice": "approve"}})
    body = answer.json()
    assert "error" in body or body["result"]["isError"] is True
    assert _calls() == before + 1


def test_no_listed_tool_names_a_decision(mcp: World) -> None:
    words = ("approv", "decide", "deny", "execute", "switch", "breaker", "freeze", "glass")
    assert [name for name in mcp.agent("approver").names() if any(word in name for word in words)] == []
