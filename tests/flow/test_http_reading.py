"""The one bounded read: which addresses it reaches, whose redirects it follows, what it keeps to itself."""

import functools
import ipaddress
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay_core.results import Status
from tests.fakes import tls
from tests.fakes.families import FAMILIES
from tests.fakes.server import Asked, FakeServer, Reply, serving
from tests.fakes.toolboxes import ask, load
from toolbox import registry
from toolbox.connectors import addresses, httpjson
from toolbox.connectors.base import Outcome
from toolbox.connectors.endpoint import Endpoint
from toolbox.connectors.http import Ask, Reader, mapping_of_links
from toolbox.connectors.httpstatus import Failure
from toolbox.connectors.prometheus import PrometheusConnector
from toolbox.deadline import Deadline, DeadlinePassed
from toolbox.yamlfile import DefinitionError

LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "224.0.0.1", "255.255.255.255", "192.0.2.1", "::1", "::", "fe80::1", "fd00:ec2::254",
        "fc00::1", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::", "64:ff9b:1::7f00:1", "::7f00:1", "::ffff:0:7f00:1", "2001:0:7f00:1::",
        "fec0::1", "192.0.0.8", "192.0.0.192", "192.88.99.1", "168.63.129.16", "100.100.100.200",
        "::ffff:168.63.129.16", "3fff::1", "198.18.0.1", "240.0.0.1", "2001:db8::1",
    ],
)  # fmt: skip
def test_an_address_that_is_not_public_is_not_reached(text: str) -> None:
    assert not addresses.is_allowed(ipaddress.ip_address(text), ())


@pytest.mark.parametrize("text", ["93.184.215.14", "2606:4700::1111", "::ffff:93.184.215.14"])
def test_a_public_address_is_reached(text: str) -> None:
    assert addresses.is_allowed(ipaddress.ip_address(text), ())


@pytest.mark.parametrize("text", ["127.0.0.1", "::ffff:127.0.0.1"])
def test_a_named_network_is_reached_and_no_other(text: str) -> None:
    assert addresses.is_allowed(ipaddress.ip_address(text), LOOPBACK)
    assert not addresses.is_allowed(ipaddress.ip_address("10.0.0.1"), LOOPBACK)


def resolving(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Let names lead to these addresses, one list for each look-up; return the names that were looked up."""
    asked: list[str] = []
    left = list(answers)

    def getaddrinfo(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        found = left.pop(0) if len(left) > 1 else left[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


def reader(url: str, monkeypatch: pytest.MonkeyPatch, **more: Any) -> Reader:
    monkeypatch.setenv("TEST_URL", url)
    return Reader(Endpoint("TEST_URL", **{"networks": LOOPBACK, **more}))


def failure(made: Reader, ask: Ask | None = None, seconds: float = 2) -> Failure:
    with pytest.raises(Failure) as caught:
        made.read(ask or Ask("/x"), Deadline(seconds), 10_000)
    made.close()
    return caught.value


def test_a_name_that_leads_inside_is_refused_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, ["169.254.169.254"])
    found = failure(reader("http://metadata.example/", monkeypatch))
    assert found.status is Status.REFUSED
    assert "networks: [169.254.169.254/32]" in found.reason


def test_one_bad_address_among_good_ones_is_enough_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, ["127.0.0.1", "10.0.0.1"])
    assert failure(reader("http://both.example/", monkeypatch)).status is Status.REFUSED


def test_a_name_that_changes_its_mind_after_the_check_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving(lambda asked: Reply(body={"host": asked.headers["host"]})) as server:
        asked = resolving(monkeypatch, ["127.0.0.1"], ["10.0.0.1"])
        made = reader(f"http://rebinding.example:{server.port}", monkeypatch)
        reply = made.read(Ask("/x"), Deadline(5), 1000)
        made.close()
    assert reply.body == {"host": f"rebinding.example:{server.port}"}
    assert asked == ["rebinding.example"]


def test_a_resolver_that_hangs_does_not_hold_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def getaddrinfo(*_: Any, **__: Any) -> list[Any]:
        over.wait(10)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    found = failure(reader("http://slow.example/", monkeypatch), seconds=0.2)
    over.set()
    assert found.status is Status.UNAVAILABLE
    assert "look up the name" in found.reason


def test_an_unknown_name_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    def getaddrinfo(*_: Any, **__: Any) -> list[Any]:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    found = failure(reader("http://nowhere.example/", monkeypatch))
    assert (found.status, found.reason) == (Status.UNAVAILABLE, "the name nowhere.example is not known here")


def test_a_credential_does_not_cross_the_internet_in_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, ["93.184.215.14"])
    monkeypatch.setenv("TEST_TOKEN", "s3cret")
    made = reader("http://api.example/", monkeypatch, credential="bearer", credential_env=("TEST_TOKEN",))
    found = failure(made)
    assert found.status is Status.REFUSED
    assert "https://" in found.reason


@pytest.mark.parametrize(
    "url",
    [
        "ftp://x/", "x", "http://", "https://user:pw@x/", "https://x/?a=b", "https://x/#y",
        "file:///etc/passwd", "https://x:99999/", "https://exämple/",
    ],
)  # fmt: skip
def test_what_is_no_plain_web_address_is_refused_without_being_repeated(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = failure(reader(url, monkeypatch))
    assert found.status is Status.ERROR
    assert "TEST_URL" in found.reason
    assert "pw" not in found.reason


def test_a_redirect_on_the_host_is_followed_where_that_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(asked: Asked) -> Reply:
        if asked.path == "/old":
            return Reply(301, {}, headers={"Location": "/new?x=1"})
        return Reply(body={"path": asked.path, "x": asked.one("x")})

    with serving(answer) as server:
        made = reader(server.url, monkeypatch)
        assert made.read(Ask("/old", moves=True), Deadline(5), 1000).body == {"path": "/new", "x": "1"}
        assert "not followed" in failure(made, Ask("/old")).reason


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.2/x", "//127.0.0.2/x", "https://127.0.0.1/x", "http://127.0.0.1:1/x",
        "javascript:alert(1)",
        "file:///etc/passwd", "http://[::1/x", "http://127.0.0.1@evil.example/",
    ],
)  # fmt: skip
def test_a_redirect_off_the_host_is_an_error(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda asked: Reply(302, {}, headers={"Location": location})) as server:
        found = failure(reader(server.url, monkeypatch), Ask("/x", moves=True))
        assert len(server.asked) == 1
    assert found.status is Status.ERROR


def test_a_redirect_without_end_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda asked: Reply(302, {}, headers={"Location": asked.path})) as server:
        assert "more than 3 times" in failure(reader(server.url, monkeypatch), Ask("/x", moves=True)).reason


def _always(reply: Reply, asked: Asked) -> Reply:
    return reply


def test_a_secret_that_the_server_repeats_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_TOKEN", "s3cret")
    more: dict[str, Any] = {"credential": "bearer", "credential_env": ("TEST_TOKEN",)}
    for reply in (
        Reply(403, {"message": "the token s3cret may not"}),
        Reply(200, b"Bearer s3cret?", "text/plain"),
    ):
        with serving(functools.partial(_always, reply)) as server:
            found = failure(reader(server.url, monkeypatch, **more))
        assert "s3cret" not in found.reason
        assert "[hidden]" in found.reason


def test_a_refused_credential_says_which_variable_to_look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_TOKEN", "s3cret")
    with serving(lambda asked: Reply(401, {})) as server:
        made = reader(server.url, monkeypatch, credential="bearer", credential_env=("TEST_TOKEN",))
        assert "Check what TEST_TOKEN holds" in failure(made).reason


@pytest.mark.parametrize(
    ("kind", "names", "header"),
    [
        ("bearer", ("TEST_A",), "Bearer ada"),
        ("api_key", ("TEST_A",), "ApiKey ada"),
        ("basic", ("TEST_A", "TEST_B"), "Basic YWRhOmI="),
    ],
)
def test_each_credential_has_its_header(
    kind: Any, names: tuple[str, ...], header: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_A", "ada")
    monkeypatch.setenv("TEST_B", "b")
    with serving(lambda asked: Reply(body={})) as server:
        made = reader(server.url, monkeypatch, credential=kind, credential_env=names)
        made.read(Ask("/x"), Deadline(5), 1000)
        made.close()
    assert server.asked[0].headers["authorization"] == header


@pytest.mark.parametrize("value", ["a\nb", "ä"])
def test_a_token_that_no_header_can_carry_is_refused_unsent(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_TOKEN", value)
    with serving(lambda asked: Reply(body={})) as server:
        made = reader(server.url, monkeypatch, credential="bearer", credential_env=("TEST_TOKEN",))
        assert "TEST_TOKEN" in failure(made).reason
        assert server.asked == []


@pytest.mark.parametrize(
    "body",
    [b'{"a": 1, "a": 2}', b'{"a": NaN}', b'{"a": -Infinity}', b"[1e400]", b"\xef\xbb\xbf{}", b"{} {}",
     b"[" * 9999],
)  # fmt: skip
def test_what_is_not_strictly_json_is_refused(body: bytes) -> None:
    with pytest.raises(httpjson.AnswerMalformed):
        httpjson.read(body)


def test_a_link_that_says_it_holds_nothing_is_none() -> None:
    assert mapping_of_links('<https://x/?page=2>; rel="next", <https://x/?page=9>; rel="last"') == {
        "next": "https://x/?page=2",
        "last": "https://x/?page=9",
    }
    assert "next" not in mapping_of_links('<https://x/>; rel="next"; results="false"; cursor="0:100:0"')


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return tls.make_certificate(tmp_path)


@pytest.fixture
def tls_server(certificate: Path) -> Iterator[FakeServer]:
    server = tls.TlsServer(lambda asked: Reply(body={"fine": True}), certificate)
    yield server
    server.close()


def test_a_certificate_that_nobody_vouches_for_is_refused(
    tls_server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = failure(reader(f"https://localhost:{tls_server.port}", monkeypatch, networks=(
        *LOOPBACK, ipaddress.ip_network("::1/128")
    )))  # fmt: skip
    assert found.status is Status.ERROR
    assert "ca_env" in found.reason


def test_a_named_authority_is_trusted_for_its_own_names_only(
    tls_server: FakeServer, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_CA", str(certificate / "cert.pem"))
    made = reader(f"https://127.0.0.1:{tls_server.port}", monkeypatch, ca_env="TEST_CA")
    assert made.read(Ask("/x"), Deadline(5), 1000).body == {"fine": True}
    made.close()
    resolving(monkeypatch, ["127.0.0.1"])
    other = reader(f"https://other.example:{tls_server.port}", monkeypatch, ca_env="TEST_CA")
    assert "certificate is refused" in failure(other).reason


def test_a_server_that_never_ends_its_handshake_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        made = reader(f"https://127.0.0.1:{listener.getsockname()[1]}", monkeypatch)
        assert failure(made, seconds=0.3).status is Status.UNAVAILABLE


def test_a_call_without_a_deadline_reads_nothing() -> None:
    from toolbox.connectors.httpsockets import Clock

    with pytest.raises(DeadlinePassed):
        Clock().left()


CONNECTOR = "connectors:\n  it: {kind: prometheus, title: It, url_env: X%s}\n"


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (", networks: [10.0.0.1/8]", "is no network"),
        (", networks: inside", "not a list"),
        (", credential: {bearer_env: A, api_key_env: B}", "not exactly one credential"),
        (", credential: {basic_env: [A]}", "user and password"),
        (", credential: {password: x}", "unknown key"),
        (", headers: {Authorization: x}", "cannot be set here"),
        (", headers: {'Host': x}", "cannot be set here"),
        (', headers: {X-A: "a\\nb"}', "no HTTP header"),
        (', tenant: "ä"', "no HTTP header"),
        (", url: http://user:pw@x/", "holds no address"),
        (", connections: 0", "from 1 to 64"),
        (", namespaces: [a]", "unknown key"),
        (", token: x", "unknown key"),
    ],
)
def test_a_mistake_in_a_connector_is_named(tmp_path: Path, more: str, says: str) -> None:
    (tmp_path / "c.yaml").write_text(CONNECTOR % more)
    with pytest.raises(DefinitionError, match=says):
        registry.load([], tmp_path / "c.yaml")


def test_a_connector_without_an_address_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("connectors:\n  it: {kind: loki, title: It}\n")
    with pytest.raises(DefinitionError, match="has no address"):
        registry.load([], tmp_path / "c.yaml")


def test_a_tool_of_another_kind_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    family = FAMILIES["prometheus"]
    toolbox = load(tmp_path, family.connectors, family.tools())
    with serving(family.answer) as server:
        monkeypatch.setenv("TEST_URL", server.url)
        assert ask(toolbox, "look", service="shop").status is Status.OBSERVED
        definition = toolbox.definitions["look"]
        from dataclasses import replace

        from tests.fakes.toolboxes import NOW
        from toolbox.definitions import SqlQuestion, Statement

        other = replace(definition, question=SqlQuestion(Statement("SELECT 1")))
        outcome: Outcome = toolbox.connectors["it"].ask(other, {}, NOW)
        toolbox.close()
    assert outcome.status is Status.ERROR


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Reply(401, {}), "refuses the credential"),
        (Reply(403, {}), ""),
        (Reply(404, {}), ""),
        (Reply(500, {}), ""),
        (Reply(200, b"<html>", "text/html"), ""),
        (Reply(302, {}, headers={"Location": "/graph"}), ""),
    ],
)
def test_a_server_is_reached_where_it_answers_at_all(
    reply: Reply, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    family = FAMILIES["prometheus"]
    with serving(functools.partial(_always, reply)) as server:
        monkeypatch.setenv("TEST_URL", server.url)
        connector = load(tmp_path, family.connectors, family.tools()).connectors["it"]
        assert isinstance(connector, PrometheusConnector)
        found = connector.reach()
        connector.close()
    assert says in found
    assert bool(found) is bool(says)
    assert "cannot connect" in connector.reach()
    connector.close()
