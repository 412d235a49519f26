"""Writes over HTTP, to a server of the test's own: what is sent, and what each answer means."""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from approvals.actions import add_labels, http_call, ticket_reply
from approvals.actions.base import ActionFailed, Observed, OutcomeUnknown
from approvals.hands import Credential
from toolbox import yamlfile
from toolbox.yamlfile import DefinitionError

SECRET = "whsec_" + base64.b64encode(b"a signing secret of 24 bytes").decode()
KEY = "k" * 64
CALL = """
- name: restart_cache
  title: Restart a cache
  risk: low
  credential: ops
  arguments: {type: object, required: [cache], properties: {cache: {type: string}, times: {type: integer}}}
  target: "cache:{cache}"
  observe: {tool: find_cache, arguments: {cache: $cache}, version: [cache.started_at]}
  method: POST
  url: "%s/caches/{cache}/restart"
  body: {cache: $cache, deep: {times: $times}, fixed: true}
  seconds: 1
"""


@dataclass
class Server:
    """What came, and what is answered: a status, or `hang`, or `close`."""

    url: str = ""
    answer: int | str = 200
    came: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            state.came.append((self.command, self.path, dict(self.headers), body))
            if state.answer == "hang":
                over.wait(5)
                return
            if state.answer == "close":
                self.connection.close()
                return
            self.send_response(int(state.answer))
            self.send_header("Location", f"{state.url}/elsewhere")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_POST = do_PUT = do_DELETE = _answer

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    listener = HTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{listener.server_address[1]}"
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield state
    over.set()
    listener.shutdown()
    thread.join()
    listener.server_close()


def place(tmp_path: Path, text: str) -> yamlfile.Place:
    (tmp_path / "part.yaml").write_text(text)
    return yamlfile.read(tmp_path / "part.yaml")


@pytest.fixture
def call(server: Server, tmp_path: Path) -> http_call.HttpCall:
    return http_call.declared(place(tmp_path, CALL % server.url))[0]


def execute(call: http_call.HttpCall, **arguments: Any) -> Any:
    hands = Credential("ops", {"secret": SECRET})
    return call.execute({"cache": "a", "times": 2, **arguments}, Observed("v"), hands, KEY)


def test_a_call_is_signed_and_carries_its_key(server: Server, call: http_call.HttpCall) -> None:
    execute(call, cache="a/b?c")
    ((method, path, headers, body),) = server.came
    assert (method, path) == ("POST", "/caches/a%2Fb%3Fc/restart")
    assert json.loads(body) == {"cache": "a/b?c", "deep": {"times": 2}, "fixed": True}
    assert headers["Idempotency-Key"] == headers["webhook-id"] == KEY
    signed = f"{KEY}.{headers['webhook-timestamp']}.".encode() + body
    mac = hmac.new(b"a signing secret of 24 bytes", signed, hashlib.sha256).digest()
    assert headers["webhook-signature"] == f"v1,{base64.b64encode(mac).decode()}"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 429])
def test_a_clear_no_is_a_failure(server: Server, call: http_call.HttpCall, status: int) -> None:
    server.answer = status
    with pytest.raises(ActionFailed, match=str(status)):
        execute(call)


@pytest.mark.parametrize("answer", [302, 307, 408, 500, 502, 504, "hang", "close"])
def test_what_leaves_it_open_is_unknown_and_nothing_is_sent_twice(
    server: Server, call: http_call.HttpCall, answer: int | str
) -> None:
    server.answer = answer
    with pytest.raises(OutcomeUnknown):
        execute(call)
    assert len(server.came) == 1


def test_nobody_at_the_address_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(ActionFailed, match="cannot be reached"):
        execute(http_call.declared(place(tmp_path, CALL % "http://127.0.0.1:1"))[0])


@pytest.mark.parametrize(
    "url", ["http://ops.example.com", "https://{cache}.example.com", "https://a:b@ops.example.com", "ops"]
)
def test_a_call_goes_to_one_fixed_host_over_tls(tmp_path: Path, url: str) -> None:
    with pytest.raises(DefinitionError, match="fixed host"):
        http_call.declared(place(tmp_path, CALL % url))


def test_labels_are_put_on_and_taken_off(server: Server, tmp_path: Path) -> None:
    part = f"""
credential: github
repositories: [acme/shop]
labels: [known issue, triaged]
api: {server.url}
tool: github_issue
labels_path: issue.labels
"""
    add, remove = add_labels.declared(place(tmp_path, part))
    arguments = {"repository": "acme/shop", "number": 7, "label": "known issue"}
    hands = Credential("github", {"token": "github_pat_x"})
    seen = Observed("v", {"issue.labels": ["triaged"]})
    assert add.precondition(arguments, seen) == ""
    assert remove.precondition(arguments, seen) == "the issue does not have the label known issue already"
    add.execute(arguments, seen, hands, KEY)
    remove.execute(arguments, seen, hands, KEY)
    assert [came[:2] for came in server.came] == [
        ("POST", "/repos/acme/shop/issues/7/labels"),
        ("DELETE", "/repos/acme/shop/issues/7/labels/known%20issue"),
    ]
    assert json.loads(server.came[0][3]) == {"labels": ["known issue"]}
    undo = add.rollback(arguments, seen)
    assert undo is not None
    assert (undo.action, undo.arguments) == ("github.remove_label", arguments)
    assert "fine-grained" in add.probe(Credential("github", {"token": "ghp_classic"}))


@pytest.mark.parametrize(
    ("desk", "more", "path", "body"),
    [
        (
            "zendesk", "", "PUT /api/v2/tickets/17.json",
            {"ticket": {"comment": {"body": "<b>Hi</b>\nthere", "public": True}}},
        ),
        ("freshdesk", "", "POST /api/v2/tickets/17/reply", {"body": "&lt;b&gt;Hi&lt;/b&gt;<br>there"}),
        (
            "intercom", "admin: '9'", "POST /conversations/17/reply",
            {
                "message_type": "comment", "type": "admin", "admin_id": "9",
                "body": "&lt;b&gt;Hi&lt;/b&gt;<br>there",
            },
        ),
    ],
)  # fmt: skip
def test_a_reply_is_sent_word_for_word(
    server: Server, tmp_path: Path, desk: str, more: str, path: str, body: dict[str, Any]
) -> None:
    part = f"""
- name: {desk}
  title: Reply
  risk: high
  credential: desk
  desk: {desk}
  url: {server.url}
  observe: {{tool: find_ticket, arguments: {{ticket: $ticket}}, version: [ticket.updated_at]}}
  {more}
"""
    (reply,) = ticket_reply.declared(place(tmp_path, part))
    assert not reply.is_reversible
    hands = Credential("desk", {"token": "t", "email": "e@example.com"})
    reply.execute({"ticket": "17", "text": "<b>Hi</b>\nthere"}, Observed("v"), hands, KEY)
    method, target, headers, sent = server.came[0]
    assert f"{method} {target}" == path
    assert json.loads(sent) == body
    assert headers["Idempotency-Key"] == KEY
