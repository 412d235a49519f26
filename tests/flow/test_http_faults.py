"""Connectors over HTTP against servers that fail on real sockets: the right type, in time, nothing leaked."""

import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay_core.canonical import canonical
from assay_core.results import Status
from tests.fakes import faults
from tests.fakes.families import FAMILIES, Family
from tests.fakes.server import FakeServer, Fault, serving
from tests.fakes.toolboxes import ask, load
from toolbox.connectors.base import Outcome
from toolbox.registry import Toolbox

SECONDS = 0.4
FDS = Path("/proc/self/fd")
# A call may outlast its deadline by what a busy machine needs to wake up.
PATIENCE = SECONDS + 1.5

TABLE: dict[str, tuple[Fault, set[Status]]] = {
    "silent": (faults.silent, {Status.UNAVAILABLE}),
    "dripping head": (faults.dripping_head, {Status.UNAVAILABLE}),
    "dripping body": (faults.dripping_body, {Status.UNAVAILABLE}),
    "half an answer": (faults.half, {Status.UNAVAILABLE}),
    "hanging up": (faults.hanging_up, {Status.UNAVAILABLE}),
    "a reset": (faults.resetting, {Status.UNAVAILABLE}),
    "another protocol": (faults.no_http, {Status.ERROR}),
    "500": (faults.says(500, b'{"error": "boom"}'), {Status.UNAVAILABLE}),
    "503 in HTML": (faults.says(503, b"<html>", "text/html"), {Status.UNAVAILABLE}),
    "429": (faults.says(429, b"{}", Retry_After="7"), {Status.UNAVAILABLE}),
    "401": (faults.says(401, b"{}"), {Status.ERROR}),
    "403": (faults.says(403, b'{"message": "forbidden"}'), {Status.ERROR}),
    "400": (faults.says(400, b'{"error": "no such field"}'), {Status.ERROR}),
    "a redirect to another host": (
        faults.says(302, b"", Location="http://127.0.0.2/steal"),
        {Status.ERROR},
    ),
    "200 with an error text": (faults.says(200, b'{"status": "error", "error": "boom"}'), {Status.ERROR}),
    "200 with a sign-in page": (faults.says(200, b"<html>Sign in</html>", "text/html"), {Status.ERROR}),
    "200 with a plain text": (faults.says(200, b"upstream timed out", "text/plain"), {Status.ERROR}),
    "200 without a word": (faults.says(200, b""), {Status.ERROR}),
    "10 MB": (faults.too_long, {Status.TRUNCATED}),
    "10 MB in chunks": (faults.too_long_in_chunks, {Status.TRUNCATED}),
    "invalid JSON": (faults.says(200, b'{"status": "success", '), {Status.ERROR}),
    "NaN": (faults.says(200, b'{"status": "success", "data": NaN}'), {Status.ERROR}),
    "1e999": (faults.says(200, b'{"status": "success", "data": 1e999}'), {Status.ERROR}),
    "one key twice": (faults.says(200, b'{"status": "error", "status": "success"}'), {Status.ERROR}),
    "no UTF-8": (faults.says(200, b'{"status": "\xff"}'), {Status.ERROR}),
    "a deep nest": (faults.says(200, b"[" * 100_000), {Status.ERROR}),
    "a packed answer": (faults.says(200, b"{}", Content_Encoding="gzip"), {Status.ERROR}),
    "another form": (faults.says(200, b'{"hello": "world"}'), {Status.ERROR}),
    "a list": (faults.says(200, b"[1, 2]"), {Status.ERROR}),
    "null": (faults.says(200, b"null"), {Status.ERROR}),
    "a byte order mark": (faults.says(200, b'\xef\xbb\xbf{"status": "success"}'), {Status.ERROR}),
    "less than its length": (faults.raw(b"Content-Length: 3\r\n\r\n{}  {}"), {Status.ERROR}),
    "two lengths": (faults.raw(b"Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}"), {Status.ERROR}),
    "half a chunk": (faults.raw(b"Transfer-Encoding: chunked\r\n\r\n9\r\n{}"), {Status.UNAVAILABLE}),
    "204": (faults.says(204, b""), {Status.ERROR}),
    "206": (faults.says(206, b'{"status": "success"}', Content_Range="bytes 0-20/900"), {Status.ERROR}),
    "304": (faults.says(304, b""), {Status.ERROR}),
    "300 without a place": (faults.says(300, b"{}"), {Status.ERROR}),
    "a redirect to nowhere": (faults.says(302, b"{}", Location=""), {Status.ERROR}),
    "a packed answer in chunks": (
        faults.raw(b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
        {Status.ERROR},
    ),
    "a chunk without end": (
        faults.raw(b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}"),
        {Status.ERROR, Status.UNAVAILABLE},
    ),
    "a long number": (faults.says(200, b'{"status": ' + b"9" * 5000 + b"}"), {Status.ERROR}),
    "another charset": (
        faults.says(200, '{"status": "success"}'.encode("utf-16"), "application/json; charset=utf-16"),
        {Status.ERROR},
    ),
    "a redirect to a file": (faults.says(302, b"", Location="file:///etc/passwd"), {Status.ERROR}),
    "a redirect to no address": (faults.says(302, b"", Location="http://[::1"), {Status.ERROR}),
}


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> Family:
    return FAMILIES[request.param]


@pytest.fixture
def server(family: Family, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with serving(family.answer) as server:
        monkeypatch.setenv("TEST_URL", server.url)
        monkeypatch.setenv("TEST_TOKEN", "kube-token")
        yield server


@pytest.fixture
def toolbox(family: Family, server: FakeServer, tmp_path: Path) -> Iterator[Toolbox]:
    toolbox = load(tmp_path, family.connectors, family.tools(SECONDS))
    yield toolbox
    toolbox.close()


@pytest.fixture
def look(toolbox: Toolbox, family: Family) -> Callable[[], Outcome]:
    return lambda: ask(toolbox, "look", **family.arguments)


@pytest.fixture
def patient_look(family: Family, server: FakeServer, tmp_path: Path) -> Iterator[Callable[[], Outcome]]:
    """Look with a deadline that even a busy machine keeps."""
    toolbox = load(tmp_path, family.connectors, family.tools(20))
    yield lambda: ask(toolbox, "look", **family.arguments)
    toolbox.close()


@pytest.mark.parametrize("name", TABLE)
def test_a_fault_has_its_type_and_keeps_the_deadline(
    look: Callable[[], Outcome], server: FakeServer, name: str
) -> None:
    server.fault, statuses = TABLE[name]
    begun = time.monotonic()
    outcome = look()
    took = time.monotonic() - begun
    assert outcome.status in statuses, outcome
    assert took < PATIENCE
    assert outcome.result is None
    assert outcome.reason
    assert "kube-token" not in outcome.reason
    assert server.url not in outcome.reason


def test_after_a_fault_the_next_call_is_answered(
    patient_look: Callable[[], Outcome], server: FakeServer
) -> None:
    assert patient_look().status is Status.OBSERVED
    for name in ("half an answer", "a reset", "10 MB", "another protocol", "hanging up", "503 in HTML"):
        server.fault = TABLE[name][0]
        assert patient_look().status is not Status.OBSERVED
        server.fault = None
        assert patient_look().status is Status.OBSERVED


def test_what_comes_behind_an_answer_is_not_taken_for_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    family = FAMILIES["prometheus"]
    with serving(family.answer) as server:
        monkeypatch.setenv("TEST_URL", server.url)
        toolbox = load(tmp_path, family.connectors, family.tools(20))
        server.fault = faults.twice(family.answer, b'"1.5"', b'"666"')
        found = [ask(toolbox, "look", **family.arguments)]
        server.fault = None
        found.append(ask(toolbox, "look", **family.arguments))
        toolbox.close()
    assert [outcome.result["series"][0]["value"] for outcome in found] == [1.5, 1.5]


def test_half_a_character_in_any_text_ends_as_a_result_that_can_be_recorded(
    patient_look: Callable[[], Outcome], server: FakeServer, family: Family
) -> None:
    server.answer = faults.half_characters(family.answer)
    outcome = patient_look()
    canonical({"result": outcome.result, "reason": outcome.reason, "covered": outcome.covered})


def test_a_server_that_is_down_is_unavailable(look: Callable[[], Outcome], server: FakeServer) -> None:
    server.close()
    outcome = look()
    assert outcome.status is Status.UNAVAILABLE
    assert "cannot connect" in outcome.reason


def test_an_address_that_nobody_set_is_named(
    look: Callable[[], Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEST_URL")
    assert look() == Outcome(Status.UNAVAILABLE, reason="it: the environment variable TEST_URL is not set")


def test_a_proxy_of_the_environment_is_not_used(
    patient_look: Callable[[], Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert patient_look().status is Status.OBSERVED


def test_only_reads_and_searches_are_sent(patient_look: Callable[[], Outcome], server: FakeServer) -> None:
    patient_look()
    posts = {asked.path for asked in server.asked if asked.method != "GET"}
    assert posts <= {"/logs-shop/_search", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"}


def _sockets() -> int:
    count = 0
    for entry in FDS.iterdir():
        try:
            count += str(entry.readlink()).startswith("socket:")
        except FileNotFoundError:
            continue
    return count


def _storm(family: Family, folder: Path, names: list[str]) -> tuple[int, int]:
    """Put these faults to a connector one after the other; return what is left of sockets and threads."""
    with serving(family.answer) as server:
        os.environ["TEST_URL"] = server.url
        toolbox = load(folder, family.connectors, family.tools(0.15))
        ask(toolbox, "look", **family.arguments)
        toolbox.close()
        server.settle()
        sockets, threads = _sockets(), threading.active_count()
        for name in names:
            server.fault = TABLE[name][0]
            outcome = ask(toolbox, "look", **family.arguments)
            assert outcome.status in TABLE[name][1] | {Status.UNAVAILABLE}, (name, outcome)
        toolbox.close()
        server.settle(25)
        return _sockets() - sockets, threading.active_count() - threads


@pytest.mark.skipif(not FDS.is_dir(), reason="counts sockets in /proc: needs Linux")
def test_a_storm_of_faults_leaks_no_socket_and_no_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_URL", "")
    monkeypatch.setenv("TEST_TOKEN", "kube-token")
    total = 1000 if os.environ.get("FULL") == "1" else 105
    names = itertools.cycle(TABLE)
    for family in FAMILIES.values():
        chosen = list(itertools.islice(names, -(-total // len(FAMILIES))))
        assert _storm(family, tmp_path, chosen) == (0, 0), family.kind


def test_calls_at_once_share_the_few_connections(family: Family, server: FakeServer, tmp_path: Path) -> None:
    toolbox = load(tmp_path, family.connectors, family.tools(20))
    found: list[Status] = []

    def look() -> None:
        found.append(ask(toolbox, "look", **family.arguments).status)

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    most_open = server.most_open
    toolbox.close()
    assert found == [Status.OBSERVED] * 8
    assert most_open <= 2
