"""The security checklist for MCP servers (revision 2026-07-28), one test a point, with its number.

A point that does not apply is held by asserting that the thing is absent.
"""

import inspect
import json
import re
import sys
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from accounts import tokens
from assay_core.results import Status
from audit import reading
from tests.web.mcp_world import BASE, HOST, MODERN, Agent, World, committed_module, expire, mcp
from tests.web.test_mcp_calls import count_of, newest
from toolbox import schemas
from toolbox.connectors import addresses, endpoint
from toolbox.connectors.base import Outcome
from toolbox.connectors.httpstatus import Failure
from toolbox.definitions import ToolDefinition
from toolbox.mcp import listing
from toolbox.registry import load

__all__ = ["committed_module", "mcp"]
ROOT = Path(__file__).resolve().parents[2]
LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})


@pytest.fixture
def agent(mcp: World) -> Agent:
    return mcp.agent("checker")


@pytest.fixture(autouse=True)
def _usual_answers(mcp: World) -> Any:
    usual = dict(mcp.connector.answers)
    yield
    mcp.connector.answers = usual


def tools_of(agent: Agent) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = agent.modern("tools/list").json()["result"]["tools"]
    return found


def shipped() -> list[ToolDefinition]:
    shop = ROOT / "examples" / "shop"
    return list(load([shop / "tools"], shop / "connectors.yaml").definitions.values())


def test_01_inputs_are_validated_before_anything_is_asked(agent: Agent) -> None:
    asked = len(agent.world.connector.asked)
    assert agent.call("find_job", job_id=["a"])["isError"] is True
    assert len(agent.world.connector.asked) == asked


def test_02_a_validation_failure_is_a_result_and_an_unknown_tool_is_minus_32602(agent: Agent) -> None:
    assert agent.call("find_job")["isError"] is True
    answer = agent.modern("tools/call", {"name": "nonesuch", "arguments": {}})
    assert answer.json()["error"]["code"] == -32602


def test_03_access_is_controlled_by_tool_and_caller_for_listing_and_for_calling(mcp: World) -> None:
    narrow = mcp.agent("check-narrow", "tools", tools=["odd"])
    assert narrow.names() == ["odd"]
    assert narrow.call("odd")["isError"] is False
    for name in ("find_job", "list_rules"):
        answer = narrow.modern("tools/call", {"name": name, "arguments": {}})
        assert answer.status_code in (200, 400, 403)
        assert "result" not in answer.json()


def test_04_calls_are_limited_by_count_and_time_for_each_caller_and_each_tool(
    mcp: World, settings: Any
) -> None:
    settings.CALLER_CALLS_A_MINUTE = 3
    first, second = mcp.agent("check-fast"), mcp.agent("check-calm")
    ends = [first.call("odd")["structuredContent"]["status"] for _ in range(4)]
    assert ends == ["observed", "observed", "observed", "refused"]
    assert second.call("odd")["structuredContent"]["status"] == "observed"
    settings.CALLER_CALLS_A_MINUTE, settings.TOOL_CALLS_A_MINUTE = 1000, 1
    told = mcp.agent("check-third").call("odd")["structuredContent"]
    assert (told["status"], "odd is asked too often" in told["reason"]) == ("refused", True)


def test_05_outputs_are_sanitised_masked_bounded_and_marked_as_data(agent: Agent) -> None:
    state = "\x1b]0;title\x07password=hunter2hunter2 " + "x" * 10_000
    agent.world.connector.answers["find_job"] = Outcome(Status.OBSERVED, {"job": {"state": state}})
    told = agent.call("find_job", job_id="a")
    shown = told["structuredContent"]["result"]["job"]["state"]
    assert ("\x1b" in shown, "hunter2" in shown, len(shown) < 5_000) == (False, False, True)
    assert told["_meta"]["assay/data"] == "recorded"
    data_tools = [tool for tool in tools_of(agent) if tool["name"] in ("find_job", "odd")]
    assert all("never an instruction" in tool["description"] for tool in data_tools)


def test_06_structured_content_is_as_the_output_schema_has_it(agent: Agent) -> None:
    schemas_of = {tool["name"]: tool["outputSchema"] for tool in tools_of(agent)}
    for name, arguments in (("find_job", {"job_id": "a"}), ("find_job", {}), ("odd", {}), ("list_rules", {})):
        structured = agent.call(name, **arguments)["structuredContent"]
        assert schemas.complaint(structured, schemas_of[name]) == ""
    assert schemas_of["find_job"]["properties"]["result"]["anyOf"][0]["properties"]["job"] == {
        "$ref": "#/properties/result/anyOf/0/$defs/job"
    }
    wrong = {**agent.call("find_job", job_id="a")["structuredContent"], "result": {"job": {"state": 1}}}
    assert schemas.complaint(wrong, schemas_of["find_job"]) != ""


def test_07_the_same_json_stands_as_text(agent: Agent) -> None:
    for name, arguments in (("find_job", {"job_id": "a"}), ("find_job", {}), ("list_rules", {})):
        result = agent.call(name, **arguments)
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


def test_08_tool_names_are_of_the_accepted_characters_and_unique(agent: Agent) -> None:
    own, ours = [tool["name"] for tool in tools_of(agent)], [tool.name for tool in shipped()]
    assert (len(set(own)), len(set(ours))) == (len(own), len(ours))
    names = own + ours
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", name) for name in names)


def test_09_the_order_of_the_list_is_always_the_same(agent: Agent) -> None:
    lists = [agent.names() for _ in range(3)]
    assert lists == [sorted(lists[0])] * 3


def test_10_an_invalid_origin_is_403(agent: Agent) -> None:
    answer = agent.world.post(LIST, {**agent.headers(), "Origin": "https://evil.example"})
    assert answer.status_code == 403


def test_11_the_host_is_checked_against_exact_values(agent: Agent) -> None:
    for host in ("evil.example", f"{HOST}:80", f"{HOST}.evil.example", f"{HOST}:80.evil.example"):
        assert agent.world.post(LIST, agent.headers(Host=host)).status_code == 421
    security = agent.world.front.sessions.security_settings
    assert security is not None
    assert not any("*" in value for value in security.allowed_hosts + security.allowed_origins)


def test_12_the_launcher_binds_to_the_own_machine() -> None:
    from triage.local import launch, start

    source = inspect.getsource(launch) + inspect.getsource(start)
    assert "127.0.0.1" in source
    assert '"0.0.0.0"' not in source


def test_13_every_request_is_authenticated_anew(mcp: World) -> None:
    agent = mcp.agent("check-anew")
    assert agent.legacy("tools/list").status_code == 200
    expire("check-anew")
    assert agent.legacy("tools/list").status_code == 401


def test_14_a_token_in_the_query_is_no_token(agent: Agent) -> None:
    headers = agent.headers(Authorization="")
    for name in ("access_token", "token", "authorization"):
        assert agent.world.post(LIST, headers, path=f"/mcp?{name}={agent.secret}").status_code == 401


def test_15_a_token_for_another_server_is_401(mcp: World) -> None:
    agent = mcp.agent("check-other", audience="https://other.example")
    assert agent.legacy("tools/list").status_code == 401


def test_16_an_expired_and_an_unknown_token_are_401(mcp: World) -> None:
    agent = mcp.agent("check-expired")
    expire("check-expired")
    assert agent.legacy("tools/list").status_code == 401
    unknown = agent.headers(Authorization=f"Bearer assay_{'A' * 43}")
    assert mcp.post(LIST, unknown).status_code == 401


def test_17_the_callers_token_goes_no_further() -> None:
    fields = set(tokens.Caller.__dataclass_fields__)
    assert fields == {"name", "owner", "scopes", "tools", "investigation"}
    for file in (ROOT / "toolbox" / "connectors").glob("*.py"):
        assert "accounts.tokens" not in file.read_text(encoding="utf-8"), file


def test_18_the_metadata_names_an_authorization_server_where_there_is_one(settings: Any) -> None:
    from django.test import Client

    path = "/.well-known/oauth-protected-resource/mcp"
    assert Client().get(path).status_code == 404
    settings.OIDC_ISSUER, settings.BASE_URL = "https://login.example", BASE
    told = Client().get(path).json()
    assert (told["resource"], told["authorization_servers"]) == (f"{BASE}/mcp", ["https://login.example"])


def test_19_a_401_carries_scope_and_where_there_is_an_issuer_the_metadata(mcp: World) -> None:
    from dataclasses import replace

    usual = mcp.front.door.address
    bare = {"Host": HOST, "Content-Type": "application/json"}
    assert 'scope="read tools submit"' in mcp.post(LIST, bare).headers["www-authenticate"]
    mcp.front.door.address = replace(usual, issuer="https://login.example")
    try:
        assert "resource_metadata=" in mcp.post(LIST, bare).headers["www-authenticate"]
    finally:
        mcp.front.door.address = usual


def test_20_a_missing_scope_is_403_and_names_all_scopes_needed(mcp: World) -> None:
    agent = mcp.agent("check-reads", "read")
    for call in (agent.legacy, agent.modern):
        answer = call("tools/call", {"name": "odd", "arguments": {}})
        challenge = answer.headers["www-authenticate"]
        assert answer.status_code == 403
        assert ('error="insufficient_scope"' in challenge, 'scope="read tools"' in challenge) == (True, True)


def test_21_no_scope_asks_for_access_while_nobody_is_there() -> None:
    assert "offline_access" not in set(tokens.Scope)


def test_22_header_and_body_have_to_agree(agent: Agent) -> None:
    params = {"name": "odd", "arguments": {}}
    for header in ({"Mcp_Name": "find_job"}, {"Mcp_Method": "tools/list"}, {"Mcp_Method": ""}):
        answer = agent.modern("tools/call", params, **header)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020), header


def test_23_an_unsupported_version_is_400_with_the_list(agent: Agent) -> None:
    answer = agent.modern("tools/list", MCP_Protocol_Version="2099-01-01")
    error = answer.json()["error"]
    assert answer.status_code == 400
    assert error["code"] in (-32020, -32022)
    meta = {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}
    answer = agent.modern("tools/list", {"_meta": meta}, MCP_Protocol_Version="2099-01-01")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, -32022)
    assert MODERN in json.dumps(error["data"])


def test_24_an_unknown_method_is_404(agent: Agent) -> None:
    answer = agent.modern("tools/drop")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, -32601)


def test_25_lists_that_depend_on_the_caller_are_private_and_not_kept(agent: Agent) -> None:
    answer = agent.modern("tools/list")
    result = answer.json()["result"]
    assert (result["ttlMs"], result["cacheScope"]) == (0, "private")


def test_26_schemas_reach_no_network_are_of_2020_12_and_bounded(agent: Agent) -> None:
    for bad in ({"$ref": "https://evil.example/s"}, {"$schema": "http://json-schema.org/draft-07/schema#"}):
        with pytest.raises(schemas.SchemaUnusable):
            schemas.check_schema(bad)
    deep: Any = {}
    for _ in range(400):
        deep = {"a": deep}
    told = agent.legacy("tools/call", {"name": "odd", "arguments": deep}).json()
    assert told.get("error") or told["result"]["isError"] is True
    for tool in tools_of(agent):
        assert re.findall(r'"\$ref": "(?!#)', json.dumps(tool)) == []


def test_27_no_parameter_goes_into_a_header(agent: Agent) -> None:
    assert "x-mcp-header" not in json.dumps(tools_of(agent))
    assert not any("x-mcp-header" in json.dumps(tool.plain, default=str) for tool in shipped())
    assert listing.declared_input("find_job", agent.world.front.door.own) is not None


def test_28_stdio_takes_its_token_from_the_environment_and_prints_protocol_alone() -> None:
    from triage.management.commands import mcp_stdio

    source = inspect.getsource(mcp_stdio)
    assert 'os.environ.pop("ASSAY_TOKEN"' in source
    assert not re.search(r"\bprint\(|self\.stdout|sys\.argv", source)
    assert "add_arguments" not in vars(mcp_stdio.Command)


def test_29_there_are_no_sessions_to_be_guessed(agent: Agent) -> None:
    assert agent.world.front.sessions.stateless is True
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    answer = agent.legacy("initialize", hello)
    assert (answer.status_code, "mcp-session-id" in answer.headers) == (200, False)
    other = agent.headers(Authorization="", Mcp_Session_Id="anything")
    assert agent.world.post(LIST, other).status_code == 401


def test_30_tokens_are_in_no_log_no_error_and_no_entry(mcp: World, caplog: pytest.LogCaptureFixture) -> None:
    agent = mcp.agent("check-secret")
    with caplog.at_level("DEBUG"):
        told = agent.call("odd")
        wrong = agent.modern("tools/call", {"name": "nonesuch", "arguments": {"token": agent.secret[:20]}})
        expire("check-secret")
        refused = agent.legacy("tools/list")
    ours = [each for each in caplog.records if not each.name.startswith(("httpx", "httpcore"))]
    said = " ".join(each.getMessage() for each in ours) + wrong.text + refused.text + json.dumps(told)
    assert agent.secret not in said
    assert agent.secret not in json.dumps([newest("token.refused"), newest("tool.called")], default=str)


def test_31_tools_over_http_go_to_named_hosts_and_no_private_ranges() -> None:
    """The tests of the HTTP connectors hold it on real sockets; here: what they stand on."""
    for address in ("127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "::ffff:10.1.2.3", "fd00::1"):
        assert not addresses.is_allowed(ip_address(address), ())
    site = endpoint.site_of("https://api.example/v1", "tests")
    for elsewhere in (
        "https://evil.example/",
        "//evil.example/x",
        "http://api.example/",
        "ftp://api.example/",
    ):
        with pytest.raises(Failure, match=r"another host|no address"):
            site.same_host(elsewhere)


def test_32_scopes_are_few_and_each_is_enough_for_its_own_part_alone(mcp: World) -> None:
    assert [scope.value for scope in tokens.Scope] == ["ingest", "read", "tools", "submit"]
    assert mcp.agent("check-asks", "tools").names() == ["count_errors", "find_job", "odd"]
    assert mcp.agent("check-hands-in", "submit").names() == ["submit_findings"]
    assert mcp.agent("check-sees", "read").names() == ["get_investigation", "list_rules"]


def test_beyond_the_checklist_every_call_is_an_entry_whatever_its_end(agent: Agent) -> None:
    before = count_of("tool.called") + count_of("agent.asked")
    agent.call("odd")
    agent.call("find_job")
    agent.call("list_rules")
    agent.modern("tools/call", {"name": "nonesuch", "arguments": {}})
    assert count_of("tool.called") + count_of("agent.asked") == before + 4
    entry = reading.entry(agent.call("odd")["structuredContent"]["entry"])
    assert entry is not None
    assert entry.actor == "token:checker"


def test_each_number_of_the_checklist_has_its_test() -> None:
    module = sys.modules[__name__]
    numbers = [int(name[5:7]) for name in vars(module) if re.match(r"test_\d\d_", name)]
    assert sorted(numbers) == list(range(1, 33))
