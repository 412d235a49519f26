"""What is no proper message is refused at the door in our words, before the SDK sees it."""

from typing import Any

import pytest

from assay_core.results import Status
from tests.web.mcp_world import LEGACY, MODERN, Agent, World, committed_module, mcp
from tests.web.test_mcp_calls import count_of
from toolbox.connectors.base import Outcome

__all__ = ["committed_module", "mcp"]
CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_job","arguments":%s}}'
BODIES = [
    ('{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}', -32600, "An object names 'id' twice."),
    (CALL % '{"job_id":"job-7","job_id":"job-8"}', -32600, "An object names 'job_id' twice."),
    (CALL % '{"job_id":NaN}', -32700, "The body is not JSON."),
    ("{", -32700, "The body is not JSON."),
    ("[" * 50_000, -32700, "The body is not JSON."),
    ("[]", -32600, "The body is not one JSON-RPC 2.0 message"),
    ('{"jsonrpc":"2.0","id":{},"method":"tools/list"}', -32600, "The body is not one JSON-RPC 2.0 message"),
    ('{"jsonrpc":"1.0","id":1,"method":"tools/list"}', -32600, "The body is not one JSON-RPC 2.0 message"),
    ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}', -32600, "The body is not one JSON-RPC"),
]


@pytest.fixture
def agent(mcp: World) -> Agent:
    return mcp.agent("caller")


@pytest.mark.parametrize("version", [LEGACY, MODERN])
@pytest.mark.parametrize(("body", "code", "said"), BODIES)
def test_what_is_no_message_is_refused_in_our_words(
    agent: Agent, body: str, code: int, said: str, version: str
) -> None:
    before = count_of("tool.called")
    answer = agent.world.post(body, agent.headers(MCP_Protocol_Version=version, Mcp_Method="tools/list"))
    assert answer.status_code == 400
    told = answer.json()
    assert (told["jsonrpc"], told["id"], told["error"]["code"]) == ("2.0", None, code)
    assert told["error"]["message"].startswith(said)
    assert "pydantic" not in answer.text
    assert count_of("tool.called") == before


@pytest.mark.parametrize("params", [{}, {"name": 7}, {"name": "find_job", "arguments": [1]}])
def test_wrong_parameters_are_told_without_the_librarys_words(agent: Agent, params: dict[str, Any]) -> None:
    for answer in (agent.legacy("tools/call", params), agent.modern("tools/call", params, Mcp_Name="7")):
        assert answer.json()["error"]["code"] in (-32602, -32600, -32001, -32020)
        assert "pydantic" not in answer.text
        assert "validation error" not in answer.text.lower()


def test_of_an_answer_that_found_nothing_nothing_is_said_to_be_kept_back(agent: Agent) -> None:
    usual = dict(agent.world.connector.answers)
    agent.world.connector.answers["find_job"] = Outcome(Status.EMPTY, {"job": None})
    try:
        told = agent.call("find_job", job_id="job-7")["structuredContent"]
    finally:
        agent.world.connector.answers = usual
    assert (told["status"], told["result"], told["hidden"]) == ("empty", None, "")
