"""Calls over MCP: what an agent gets, what it is refused, and what the audit log keeps of it."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection

from assay_core.results import Status
from audit import reading
from tests.web.mcp_world import Agent, World, committed_module, mcp, together_in_threads
from toolbox.connectors.base import Outcome
from triage.mcp_tools import House

__all__ = ["committed_module", "mcp"]
SECRET_DSN = "postgresql://reader:s3cret-word@db.internal/shop"


@pytest.fixture
def agent(mcp: World) -> Agent:
    return mcp.agent("caller")


@pytest.fixture(autouse=True)
def _usual_answers(mcp: World) -> Any:
    usual = dict(mcp.connector.answers)
    yield
    mcp.connector.answers = usual
    mcp.connector.before_answer = lambda tool: None


def payload_of(number: int) -> dict[str, Any]:
    stored = reading.entry(number)
    assert stored is not None
    assert stored.payload is not None
    return {"actor": stored.actor, **stored.payload}


def newest(kind: str) -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(id) FROM audit_entry WHERE kind = %s", [kind])
        (number,) = cursor.fetchone()
    return payload_of(number)


def count_of(kind: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM audit_entry WHERE kind = %s", [kind])
        return int(cursor.fetchone()[0])


@pytest.mark.parametrize("arguments", [{}, {"job_id": 7}, {"job_id": "a", "more": 1}, {"job_id": "x" * 81}])
def test_arguments_that_are_not_as_declared_are_a_tool_error_with_its_entry(
    agent: Agent, arguments: dict[str, Any]
) -> None:
    asked = len(agent.world.connector.asked)
    result = agent.call("find_job", **arguments)
    assert result["isError"] is True
    assert "not as the tool declares them" in result["structuredContent"]["reason"]
    assert payload_of(result["structuredContent"]["entry"])["status"] == "refused"
    assert len(agent.world.connector.asked) == asked


@pytest.fixture
def _uncommitted(superuser_dsn: str) -> Iterator[None]:
    """Every call's entry fails as it is committed, after the database has answered with its number."""
    with psycopg.connect(superuser_dsn, autocommit=True) as link:
        link.execute(
            "CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$"
        )
        link.execute(
            "CREATE CONSTRAINT TRIGGER fails AFTER INSERT ON toolbox_call DEFERRABLE INITIALLY DEFERRED"
            " FOR EACH ROW EXECUTE FUNCTION fails()"
        )
        yield
        link.execute("DROP FUNCTION fails() CASCADE")


@pytest.mark.usefixtures("_uncommitted")
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_an_answer_whose_entry_is_not_committed_is_shown_to_nobody(agent: Agent, era: str) -> None:
    before, asked = count_of("tool.called"), len(agent.world.connector.asked)
    answer = getattr(agent, era)("tools/call", {"name": "find_job", "arguments": {"job_id": "7"}})
    assert answer.status_code == 200
    assert len(agent.world.connector.asked) == asked + 1
    assert set(answer.json()) == {"jsonrpc", "id", "error"}
    assert answer.json()["error"]["message"].startswith("The server failed")
    assert "disk" not in answer.text
    assert count_of("tool.called") == before


@pytest.mark.parametrize("arguments", [None, [], "text"])
def test_arguments_that_are_no_object_never_reach_a_tool(agent: Agent, arguments: Any) -> None:
    asked = len(agent.world.connector.asked)
    answer = agent.modern("tools/call", {"name": "find_job", "arguments": arguments})
    assert "error" in answer.json() or answer.json()["result"]["isError"] is True
    assert len(agent.world.connector.asked) == asked


def test_an_unknown_tool_is_a_protocol_error_and_an_entry_all_the_same(agent: Agent) -> None:
    answer = agent.legacy("tools/call", {"name": "drop_everything", "arguments": {}})
    assert answer.json()["error"] == {"code": -32602, "message": "Unknown tool: drop_everything"}
    kept = newest("tool.called")
    assert (kept["tool"], kept["status"], kept["actor"]) == ("drop_everything", "refused", "token:caller")


@pytest.mark.parametrize("name", ["", "a" * 5000, "\u202efind_job", "find_job\x00", "Find_Job", "find_job "])
def test_a_name_that_is_no_tool_is_refused_whatever_it_looks_like(agent: Agent, name: str) -> None:
    answer = agent.legacy("tools/call", {"name": name, "arguments": {"job_id": "a"}})
    assert answer.json()["error"]["code"] == -32602
    assert "\u202e" not in answer.text


def test_an_answer_is_structured_names_its_entry_and_stands_as_text_too(agent: Agent) -> None:
    result = agent.call("find_job", job_id="job-7")
    structured = result["structuredContent"]
    assert (structured["status"], structured["result"]) == ("observed", {"job": {"state": "completed"}})
    assert json.loads(result["content"][0]["text"]) == structured
    kept = payload_of(structured["entry"])
    assert (kept["actor"], kept["via"]) == ("token:caller", "mcp 2026-07-28 over http")


@pytest.mark.parametrize(
    ("outcome", "is_error", "result"),
    [
        (Outcome(Status.EMPTY, {"job": {"state": "none"}}), False, {"job": {"state": "none"}}),
        (Outcome(Status.EMPTY, {"rows": []}), False, None),
        (Outcome(Status.TRUNCATED, {"job": {"state": "x"}}, "more"), False, {"job": {"state": "x"}}),
        (Outcome(Status.UNANSWERABLE, {"job": {"state": "x"}}, "nothing proves it"), True, None),
        (Outcome(Status.ERROR, {"job": 1}, "broken"), True, None),
        (Outcome(Status.UNAVAILABLE, None, "nothing answers"), True, None),
        (Outcome(Status.OBSERVED, {"job": {"state": 1}}), True, None),
    ],
)
def test_what_is_no_answer_is_an_error_and_holds_no_result(
    agent: Agent, outcome: Outcome, is_error: bool, result: Any
) -> None:
    agent.world.connector.answers["find_job"] = outcome
    told = agent.call("find_job", job_id="job-7")
    assert (told["isError"], told["structuredContent"]["result"]) == (is_error, result)


def test_characters_that_nobody_sees_are_shown_as_replaced_and_kept_in_the_entry(agent: Agent) -> None:
    hostile = "ok\x1b[2J\u202egnp\u200b\U000e0041\x85"
    agent.world.connector.answers["find_job"] = Outcome(Status.OBSERVED, {"job": {"state": hostile}})
    told = agent.call("find_job", job_id="job-7")
    shown = "ok\ufffd[2J\ufffdgnp\ufffd\ufffd\ufffd"
    assert told["structuredContent"]["result"]["job"]["state"] == shown
    assert payload_of(told["structuredContent"]["entry"])["result"]["job"]["state"] == hostile


def test_a_long_text_is_cut_for_an_agent_and_says_so(agent: Agent) -> None:
    agent.world.connector.answers["odd"] = Outcome(Status.OBSERVED, {"text": "x" * 300_000})
    told = agent.call("odd")["structuredContent"]
    assert told["result"]["text"].endswith("… (+296000 characters)")
    assert told["hidden"] == "1 long text cut"
    assert payload_of(told["entry"])["result"]["text"] == "x" * 300_000


def test_an_answer_that_is_too_long_is_left_to_its_entry(agent: Agent) -> None:
    agent.world.connector.answers["odd"] = Outcome(Status.OBSERVED, {"texts": ["x" * 3_000] * 200})
    told = agent.call("odd")
    assert told["structuredContent"]["result"] is None
    assert "too long" in told["structuredContent"]["hidden"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_an_exception_of_ours_reaches_nobody(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> Any:
        raise RuntimeError(f"could not connect to {SECRET_DSN}")

    monkeypatch.setattr(House, "scope_of", fail)
    answer = getattr(agent, era)("tools/call", {"name": "find_job", "arguments": {"job_id": "a"}})
    assert "s3cret" not in answer.text
    error = answer.json()["error"]
    assert error["code"] == -32603
    number = error["message"].removeprefix("The server failed; its log has it under ").removesuffix(".")
    assert number in caplog.text


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_listing_that_fails_tells_nothing_either(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    from toolbox.mcp import listing

    def fail(*_: Any) -> Any:
        raise RuntimeError(f"could not connect to {SECRET_DSN}")

    monkeypatch.setattr(listing, "listed", fail)
    answer = getattr(agent, era)("tools/list")
    assert (answer.json()["error"]["code"], "s3cret" in answer.text) == (-32603, False)


def test_a_connector_that_raises_is_an_error_without_its_words(agent: Agent) -> None:
    def fail(tool: str) -> None:
        raise RuntimeError(f"could not connect to {SECRET_DSN}")

    agent.world.connector.before_answer = fail
    told = agent.call("find_job", job_id="job-7")
    assert told["isError"] is True
    assert "s3cret" not in json.dumps(told)
    assert "s3cret" not in json.dumps(payload_of(told["structuredContent"]["entry"]), default=str)


def test_a_call_past_its_deadline_is_told_so_and_its_entry_is_written_when_it_ends(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolbox import gateway
    from toolbox.mcp import server

    monkeypatch.setattr(server, "_BESIDES_SECONDS", 0.1)
    monkeypatch.setattr(gateway, "_BESIDES_SECONDS", 0.2)
    go_on, before = threading.Event(), count_of("tool.called")
    agent = agent.world.agent("hurried")
    agent.world.connector.before_answer = lambda tool: go_on.wait(40)
    began = time.monotonic()
    told = agent.call("find_job", job_id="job-7")
    assert time.monotonic() - began < 30
    assert told["isError"] is True
    assert "did not answer within 0.5 s" in told["content"][0]["text"]
    go_on.set()
    until = time.monotonic() + 10
    while count_of("tool.called") == before:
        assert time.monotonic() < until, "the entry of the slow call is missing"
        time.sleep(0.02)


@pytest.fixture
def _held_up(superuser_dsn: str) -> Iterator[None]:
    """Every call's entry waits for somebody else, after its answer has been made."""
    with psycopg.connect(superuser_dsn) as link:
        link.execute("LOCK TABLE toolbox_call IN EXCLUSIVE MODE")
        yield
        link.rollback()


@pytest.mark.usefixtures("_held_up")
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_an_answer_that_waits_too_long_for_its_entry_is_not_shown_either(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    from toolbox import gateway
    from toolbox.mcp import server

    monkeypatch.setattr(server, "_BESIDES_SECONDS", 0.1)
    monkeypatch.setattr(gateway, "_BESIDES_SECONDS", 0.2)
    other = agent.world.agent(f"held-up-{era}")
    asked = len(agent.world.connector.asked)
    told = getattr(other, era)("tools/call", {"name": "find_job", "arguments": {"job_id": "job-7"}}).json()
    assert len(agent.world.connector.asked) == asked + 1
    assert (told["result"]["isError"], "structuredContent" in told["result"]) == (True, False)
    assert "did not answer within 0.5 s" in told["result"]["content"][0]["text"]


def test_calls_run_side_by_side_and_too_many_are_told_to_come_back(agent: Agent) -> None:
    """No call ends before one was sent away: however slowly they come in, they fill the room."""
    room, go_on = agent.world.front.threads._room, threading.Event()
    agent.world.connector.before_answer = lambda tool: go_on.wait(60)

    def once(_: int) -> bool:
        answer = agent.modern("tools/call", {"name": "odd", "arguments": {}})
        assert answer.status_code in (200, 503)
        is_busy = answer.status_code == 503 or answer.json()["result"].get("isError") is True
        if is_busy:
            go_on.set()
        return is_busy

    answers = together_in_threads(room + 6, once)
    assert set(answers) == {True, False}
    agent.world.connector.before_answer = lambda tool: None
    assert agent.call("odd")["isError"] is False


def test_a_database_connection_that_broke_is_replaced_for_the_next_call(
    agent: Agent, superuser_dsn: str
) -> None:
    import psycopg

    agent.call("odd")
    with psycopg.connect(superuser_dsn, autocommit=True) as link:
        link.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE usename = 'assay_app' AND pid <> pg_backend_pid()"
        )
    connection.close()
    assert agent.call("odd")["isError"] is False


def test_the_revision_that_was_spoken_stands_in_the_entry(agent: Agent) -> None:
    for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
        agent.legacy("tools/call", {"name": "odd", "arguments": {}}, MCP_Protocol_Version=version)
        assert newest("tool.called")["via"] == f"mcp {version} over http"
    agent.legacy("tools/call", {"name": "odd", "arguments": {}}, MCP_Protocol_Version="")
    assert newest("tool.called")["via"] == "mcp 2025-03-26 over http"
