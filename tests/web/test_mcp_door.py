"""The door in front of the MCP server: address, token, size, scope; each refusal counted, some recorded."""

import contextlib
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.db import connection
from django.utils import timezone

from accounts import tokens
from accounts.models import Token, User
from accounts.roles import Role
from audit import reading
from tests.web.mcp_world import BASE, HOST, Agent, World, committed_module, expire, mcp, person
from toolbox import counting
from toolbox.models import Call

__all__ = ["committed_module", "mcp"]
LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})


def refused_entries(name: str) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM audit_entry WHERE kind = 'token.refused' AND actor = %s ORDER BY id",
            [f"token:{name}"],
        )
        numbers = [number for (number,) in cursor.fetchall()]
    entries = [reading.entry(number) for number in numbers]
    return [entry.payload for entry in entries if entry is not None and entry.payload is not None]


@pytest.fixture
def agent(mcp: World) -> Agent:
    return mcp.agent("visitor")


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer nonsense", f"Bearer assay_{'A' * 43}", "Token x",
     f"Bearer assay_{'A' * 43}\u00e9"],
)  # fmt: skip
def test_without_a_token_of_ours_nothing_opens(agent: Agent, authorization: str) -> None:
    answer = agent.world.post(LIST, agent.headers(Authorization=authorization))
    assert answer.status_code == 401
    challenge = answer.headers["www-authenticate"]
    assert challenge.startswith('Bearer realm="assay"')
    assert 'scope="read tools submit"' in challenge
    assert "resource_metadata" not in challenge
    assert "connect-an-agent-over-mcp.md" in answer.text


def test_a_401_without_a_token_names_no_error_and_one_with_a_wrong_token_does(agent: Agent) -> None:
    bare = agent.world.post(LIST, agent.headers(Authorization=""))
    wrong = agent.world.post(LIST, agent.headers(Authorization="Bearer nonsense"))
    assert "error=" not in bare.headers["www-authenticate"]
    assert 'error="invalid_token"' in wrong.headers["www-authenticate"]


def test_a_token_in_the_query_or_in_the_body_opens_nothing(agent: Agent) -> None:
    headers = agent.headers(Authorization="")
    assert agent.world.post(LIST, headers, path=f"/mcp?access_token={agent.secret}").status_code == 401
    body = json.dumps({**json.loads(LIST), "access_token": agent.secret})
    assert agent.world.post(body, headers).status_code == 401


@pytest.mark.parametrize(
    ("name", "other", "status"),
    [
        ("Authorization", "Bearer other", 401),
        ("MCP-Protocol-Version", "2025-11-25", 400),
        ("Mcp-Method", "tools/call", 400),
        ("Mcp-Name", "find_job", 400),
        ("Content-Type", "text/plain", 400),
    ],
)
def test_a_header_that_stands_there_twice_says_nothing(
    agent: Agent, name: str, other: str, status: int
) -> None:
    import httpx

    async def once() -> httpx.Response:
        transport = httpx.ASGITransport(agent.world.application)
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
            first = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list", "Mcp-Name": "x"}
            headers = [*{**first, **agent.headers()}.items(), (name, other)]
            return await client.post("/mcp", content=LIST, headers=headers)

    answer = agent.world.portal.call(once)
    assert answer.status_code == status
    assert name.lower() in answer.text or status == 401


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("expired", "the token has expired"),
        ("revoked", "the token was revoked"),
        ("elsewhere", "the token was made for https://other.example, and this is https://assay.example"),
        ("ownerless", "the account of the token's owner is switched off"),
    ],
)
def test_a_token_that_ended_is_401_says_why_and_is_recorded_once_a_minute(
    mcp: World, ending: str, words: str
) -> None:
    audience = "https://other.example" if ending == "elsewhere" else BASE
    owner = person("gone", Role.ON_CALL) if ending == "ownerless" else person()
    agent = mcp.agent(ending, audience=audience, owner=owner)
    if ending == "expired":
        expire(ending)
    elif ending == "revoked":
        tokens.revoke(ending, by="administrator", because="tests", now=timezone.now())
    elif ending == "ownerless":
        User.objects.filter(username="gone").update(is_active=False)
    answers = [agent.legacy("tools/list") for _ in range(3)]
    assert {answer.status_code for answer in answers} == {401}
    assert words in answers[0].json()["error"].replace("The token", "the token").replace(
        "The account", "the account"
    )
    entries = refused_entries(ending)
    assert [(each["status"], each["reason"]) for each in entries] == [(401, "token")]
    assert agent.secret not in json.dumps(entries)


@pytest.mark.parametrize("ending", ["revoked", "ownerless", "demoted"])
def test_a_token_that_was_good_moments_ago_and_ended_since_asks_nothing_more_and_counts_for_nobody(
    mcp: World, redis_url: str, ending: str
) -> None:
    name = f"once-good-{ending}"
    owner = person(name)
    agent = mcp.agent(name, owner=owner)
    with contextlib.closing(redis.from_url(redis_url)) as link:
        link.delete("assay:limit:tool:find_job")
    assert agent.call("find_job", job_id="job-1")["structuredContent"]["entry"]
    asked = calls_of(name)
    if ending == "revoked":
        tokens.revoke(name, by="administrator", because="tests", now=timezone.now())
    elif ending == "ownerless":
        User.objects.filter(pk=owner.pk).update(is_active=False)
    else:
        owner.groups.clear()
    answer = agent.modern("tools/call", {"name": "find_job", "arguments": {"job_id": "job-1"}})
    assert (answer.status_code, answer.json()["reason"]) == (
        (403, "scope") if ending == "demoted" else (401, "token")
    )
    assert "www-authenticate" in answer.headers
    assert calls_of(name) == asked == 1
    assert len(refused_entries(name)) == 1
    assert counted(redis_url, name) == (1, 1)


def counted(redis_url: str, name: str) -> tuple[int, int]:
    """Return how often a token, and the tool that it asked, count against their limits."""
    with contextlib.closing(redis.from_url(redis_url)) as link:
        keys = (f"assay:limit:caller:token:{name}", "assay:limit:tool:find_job")
        return int(str(link.zcard(keys[0]))), int(str(link.zcard(keys[1])))


def calls_of(name: str) -> int:
    return Call.objects.filter(caller=f"token:{name}").count()


@pytest.mark.parametrize(
    "host",
    ["evil.example", "assay.example.evil.example", "assay.example:8443", "assay.example:evil", "",
     "localhost", "assay.example@evil.example"],
)  # fmt: skip
def test_another_host_is_421_with_and_without_a_token(agent: Agent, host: str) -> None:
    headers = agent.headers(Host=host or "-")
    assert agent.world.post(LIST, headers).status_code == 421
    headers.pop("Authorization")
    assert agent.world.post(LIST, headers).status_code == 421


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "http://assay.example", "https://assay.example:80.evil.example", "null",
     "https://assay.example:443", "https://assay.example/", ""],
)  # fmt: skip
def test_a_page_of_another_origin_is_403_with_and_without_a_token(agent: Agent, origin: str) -> None:
    headers = {**agent.headers(), "Origin": origin}
    assert agent.world.post(LIST, headers).status_code == 403
    headers.pop("Authorization")
    assert agent.world.post(LIST, headers).status_code == 403


def test_the_own_origin_and_none_are_let_in(agent: Agent) -> None:
    assert agent.world.post(LIST, {**agent.headers(), "Origin": BASE}).status_code == 200
    shouted = {**agent.headers(), "Origin": BASE.upper(), "Host": "ASSAY.EXAMPLE"}
    assert agent.world.post(LIST, shouted).status_code == 200
    assert agent.world.post(LIST, agent.headers()).status_code == 200


def test_a_refused_origin_with_a_token_of_ours_is_recorded(mcp: World) -> None:
    agent = mcp.agent("framed")
    mcp.post(LIST, {**agent.headers(), "Origin": "https://evil.example"})
    assert [each["reason"] for each in refused_entries("framed")] == ["origin"]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"])
def test_anything_but_post_is_405_and_opens_no_stream(agent: Agent, method: str) -> None:
    answer = agent.world.send(method, "/mcp", {**agent.headers(), "Accept": "text/event-stream"})
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_a_slash_at_the_end_is_answered_in_place(agent: Agent) -> None:
    assert agent.world.post(LIST, agent.headers(), path="/mcp/").status_code == 200


def test_a_body_over_the_limit_is_413_counted_and_recorded(mcp: World) -> None:
    agent = mcp.agent("verbose")
    before = dict(counting.read(counting.REFUSALS))
    big = LIST + " " * mcp.front.door.address.most_bytes
    assert mcp.post(big, agent.headers()).status_code == 413
    assert mcp.post(big, agent.headers(Authorization="")).status_code == 401
    assert [(each["status"], each["reason"]) for each in refused_entries("verbose")] == [(413, "size")]
    after = counting.read(counting.REFUSALS)
    assert after["413", "size"] == before.get(("413", "size"), 0) + 1
    assert after["401", "no-token"] >= before.get(("401", "no-token"), 0) + 1


def test_a_batch_plain_text_and_broken_json_are_400(agent: Agent) -> None:
    assert agent.world.post(f"[{LIST}]", agent.headers()).status_code == 400
    assert agent.world.post(LIST, agent.headers(Content_Type="text/plain")).status_code == 400
    for body in ("{", "", "\x00", "[" * 20_000, '"text"', "1" * 5000):
        assert agent.world.post(body, agent.headers()).status_code == 400, body[:20]


def test_a_scope_that_is_lacking_is_403_names_all_scopes_needed_and_is_recorded(mcp: World) -> None:
    agent = mcp.agent("reader", "read")
    answer = agent.legacy("tools/call", {"name": "find_job", "arguments": {"job_id": "a"}})
    assert answer.status_code == 403
    challenge = answer.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="read tools"' in challenge
    assert [(each["status"], each["reason"]) for each in refused_entries("reader")] == [(403, "scope")]


def test_a_token_for_ingest_alone_opens_nothing_here(mcp: World) -> None:
    answer = mcp.agent("ingester", "ingest").legacy("tools/list")
    assert answer.status_code == 403
    assert 'scope="ingest read tools submit"' in answer.headers["www-authenticate"]


def test_an_owner_whose_role_was_taken_takes_the_tokens_scopes_along(mcp: World) -> None:
    owner = person("demoted", Role.ON_CALL)
    agent = mcp.agent("demoted", owner=owner)
    assert "find_job" in agent.names()
    owner.groups.clear()
    assert agent.legacy("tools/list").status_code == 403


def test_plain_http_is_refused_where_tls_is_meant(mcp: World) -> None:
    agent, door = mcp.agent("visitor"), mcp.front.door
    usual = door.address
    try:
        door.address = replace(usual, needs_tls=True)
        assert mcp.post(LIST, agent.headers(), path=f"http://{HOST}/mcp").status_code == 403
        forwarded = {**agent.headers(), "X-Forwarded-Proto": "https"}
        assert mcp.post(LIST, forwarded, path=f"http://{HOST}/mcp").status_code == 403
        assert mcp.post(LIST, agent.headers()).status_code == 200
        door.address = replace(usual, needs_tls=True, trusts_proxy=True)
        assert mcp.post(LIST, forwarded, path=f"http://{HOST}/mcp").status_code == 200
    finally:
        door.address = usual


def test_an_issuer_is_named_in_the_challenge(mcp: World) -> None:
    usual = mcp.front.door.address
    try:
        mcp.front.door.address = replace(usual, issuer="https://login.example")
        answer = mcp.post(LIST, mcp.agent("visitor").headers(Authorization=""))
    finally:
        mcp.front.door.address = usual
    named = f'resource_metadata="{BASE}/.well-known/oauth-protected-resource/mcp"'
    assert named in answer.headers["www-authenticate"]


def test_a_token_is_looked_up_anew_for_each_request(mcp: World) -> None:
    agent = mcp.agent("shortlived")
    assert agent.legacy("tools/list").status_code == 200
    Token.objects.filter(name="shortlived").update(audience="https://other.example")
    assert agent.legacy("tools/list").status_code == 401
    assert Token.objects.get(name="shortlived").first_used_at is not None


def test_a_token_made_for_named_tools_sees_and_calls_only_those(mcp: World) -> None:
    agent = mcp.agent("narrow", tools=["find_job"], lasts=timedelta(hours=1))
    assert agent.names() == ["find_job"]
    answer = agent.legacy("tools/call", {"name": "count_errors", "arguments": {"query": "a", "since": "b"}})
    assert answer.json()["error"]["message"] == "Unknown tool: count_errors"
    assert "count_errors" not in [name for name, _ in mcp.connector.asked[-1:]]


def test_each_listing_is_the_callers_own_and_always_in_the_same_order(mcp: World) -> None:
    whole = ["count_errors", "find_job", "get_investigation", "list_rules", "odd", "submit_findings"]
    assert mcp.agent("visitor").names() == whole
    assert mcp.agent("reads", "read").names() == ["get_investigation", "list_rules"]
    assert mcp.agent("asks", "tools").names() == ["count_errors", "find_job", "odd"]
    assert mcp.agent("submits", "submit").names() == ["submit_findings"]
