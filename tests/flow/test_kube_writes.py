"""Writing to a deployment over a socket: what each answer of a cluster means, and what is sent.

The cluster is a fake; the real kubectl is run against it below, so that both read the API the same way.
"""

import copy
import json
import os
import socket
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from approvals.actions import registry
from approvals.actions.base import Action, ActionFailed, CouldNotCheck, Observed, OutcomeUnknown
from approvals.actions.kubernetes_cluster import version_of
from approvals.hands import Credential
from tests.conftest import require_program
from tests.db.clustering import ACTIONS
from tests.fakes.kubernetes import BASIC
from tests.fakes.kubernetes_writes import kubeconfig
from tests.fakes.server import Asked, Reply
from tests.fakes.tls import TlsServer, make_certificate
from tests.flow.kubeplace import KEY, WEB, Fault, Place, of_clusters
from toolbox import schemas
from toolbox.yamlfile import DefinitionError

STRANGE: tuple[dict[str, Any], ...] = (
    {"replicas": 0}, {"replicas": -1}, {"replicas": "9"}, {"replicas": 5.5}, {"replicas": True},
    {"name": "*"}, {"name": "web*"}, {"name": "we?b"}, {"name": ""}, {"name": "../web"},
    {"name": "web/scale"},
    {"name": "web?dryRun=All"}, {"name": "web\n"}, {"name": "w\u0435b"}, {"name": ["web"]}, {"name": None},
    {"namespace": "*"}, {"namespace": "kube-system"}, {"namespace": ""}, {"namespace": "shop/../mail"},
    {"namespace": "shop\n"}, {"force": True},
)  # fmt: skip


@pytest.mark.parametrize("arguments", STRANGE)
def test_a_wildcard_a_path_another_namespace_and_zero_are_no_arguments(
    actions: dict[str, Action], arguments: dict[str, Any]
) -> None:
    schema = actions["kubernetes.scale"].arguments
    assert schemas.complaint({**WEB, "replicas": 5, **arguments}, schema)
    assert not schemas.complaint({**WEB, "replicas": 5}, schema)


def status(code: int) -> Fault:
    body = json.dumps({"kind": "Status", "code": code, "message": "says the cluster"}).encode()
    head = f"HTTP/1.1 {code} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return lambda connection, asked: connection.sendall(head.encode() + body)


@pytest.mark.parametrize(
    ("code", "error", "says"),
    [
        (400, ActionFailed, "HTTP 400"),
        (401, ActionFailed, "HTTP 401"),
        (403, ActionFailed, r"the cluster forbids it \(HTTP 403\): says the cluster"),
        (404, ActionFailed, "it is not there any more"),
        (409, ActionFailed, "it changed while it was to be written"),
        (422, ActionFailed, "refuses the change as invalid"),
        (429, ActionFailed, "HTTP 429"),
        (302, OutcomeUnknown, "answered 302"),
        (500, OutcomeUnknown, "answered 500"),
        (503, OutcomeUnknown, "answered 503"),
        (504, OutcomeUnknown, "answered 504"),
    ],
)
def test_a_clear_no_is_a_failure_anything_else_is_unknown_and_nothing_is_sent_twice(
    place: Place, code: int, error: type[Exception], says: str
) -> None:
    place.fail(status(code))
    with pytest.raises(error, match=says):
        place.execute()
    assert len(place.patches()) == 1
    with pytest.raises(CouldNotCheck, match=says):
        place.tried()


def _silent(connection: socket.socket, asked: Asked) -> None:
    connection.settimeout(5)
    connection.recv(1)


def _trickling(connection: socket.socket, asked: Asked) -> None:
    for byte in b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n":
        connection.sendall(bytes([byte]))
        connection.settimeout(0.1)
        try:
            connection.recv(1)
        except TimeoutError:
            continue


BROKEN: dict[str, Fault] = {
    "silent": _silent,
    "trickling": _trickling,
    "half a head": lambda connection, asked: connection.sendall(b"HTTP/1.1 20"),
    "closed": lambda connection, asked: None,
    "nonsense": lambda connection, asked: connection.sendall(b"nonsense\r\n\r\n"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_answer_that_does_not_come_is_unknown_and_nothing_is_sent_twice(
    place: Place, name: str, tmp_path: Path
) -> None:
    place.fail(BROKEN[name])
    if name in ("silent", "trickling"):
        (tmp_path / "a.yaml").write_text((ACTIONS % "").replace("  seconds: 2", "  seconds: 1"))
        place.actions = of_clusters(tmp_path / "a.yaml")
    with pytest.raises(OutcomeUnknown, match="broke after the write was sent"):
        place.execute()
    assert len(place.patches()) == 1


def test_the_rest_of_a_yes_may_be_cut_off_but_not_of_a_dry_run(place: Place) -> None:
    def half(connection: socket.socket, asked: Asked) -> None:
        whole = place.fake(asked).bytes()
        connection.sendall(whole[: len(whole) // 2])

    place.fail(half)
    with pytest.raises(CouldNotCheck, match="cut off"):
        place.tried()
    assert place.execute() == {"generation": None}
    assert place.fake.one()["spec"]["replicas"] == 5


def test_nobody_at_the_address_is_a_failure(place: Place) -> None:
    place.hands = Credential("w", {"server": "http://127.0.0.1:9", "token": "t"})
    with pytest.raises(ActionFailed, match="cannot connect"):
        place.execute()


def test_a_repetition_is_seen_by_its_token_and_not_sent(place: Place) -> None:
    place.execute()
    assert place.execute()["done_before"] is True
    assert len(place.patches()) == 1


def test_a_stale_resource_version_is_a_conflict(place: Place) -> None:
    def late(connection: socket.socket, asked: Asked) -> None:
        place.fake.beat()
        connection.sendall(place.fake(asked).bytes())

    place.fail(late)
    with pytest.raises(ActionFailed, match=r"it changed while it was to be written \(HTTP 409\)"):
        place.execute()
    assert place.fake.applied == []


@pytest.mark.parametrize("changed", ["generation", "uid"])
def test_another_deployment_than_the_approved_one_is_not_written_to(place: Place, changed: str) -> None:
    approved = Observed(version_of(place.fake.one()))
    place.fake.one()["metadata"][changed] = 77
    action = place.actions["kubernetes.scale"]
    with pytest.raises(ActionFailed, match="changed since it was approved"):
        action.execute({**WEB, "replicas": 5}, approved, place.hands, KEY)
    assert place.patches() == []


@pytest.mark.parametrize("gone", ["deployment", "namespace"])
def test_what_is_not_there_is_not_written_to(place: Place, gone: str) -> None:
    with pytest.raises(ActionFailed, match=r"not there any more|not one that"):
        place.execute(**({"name": "webb"} if gone == "deployment" else {"namespace": "other"}))
    assert place.patches() == []


@pytest.mark.parametrize(
    ("spoilt", "value"),
    [("metadata", None), ("spec", None), ("spec", {"replicas": "3"}), ("metadata", {"name": "other"})],
)
def test_a_deployment_that_cannot_be_read_is_not_written_to(place: Place, spoilt: str, value: Any) -> None:
    honest = place.fake.__call__

    def answer(asked: Asked) -> Reply:
        reply = copy.deepcopy(honest(asked))
        if asked.method == "GET":
            reply.body[spoilt] = value
        return reply

    place.server.answer = answer
    with pytest.raises(ActionFailed, match="nothing was sent"):
        place.execute()
    assert place.patches() == []


def test_a_dry_run_keeps_nothing_and_says_before_and_after(place: Place) -> None:
    before = copy.deepcopy(place.fake.objects)
    found = place.tried()
    assert (found.objects, found.namespaces) == (("deployment:shop/web",), ("shop",))
    assert (found.before, found.after) == ({"replicas": 3}, {"replicas": 5})
    place.tried("rollout_restart")
    place.tried("rollout_undo")
    assert place.fake.objects == before
    assert {each.one("dryRun") for each in place.patches()} == {"All"}


@pytest.mark.parametrize("action", ["scale", "rollout_undo", "rollout_restart"])
def test_a_dry_run_that_comes_to_something_else_is_no_footprint(place: Place, action: str) -> None:
    """A webhook of the cluster may change what is patched; people would have approved another thing."""
    honest = place.fake.__call__

    def mutated(asked: Asked) -> Reply:
        reply = honest(asked)
        if asked.method == "PATCH":
            reply.body["spec"]["replicas"] = 7
        return reply

    place.server.answer = mutated
    with pytest.raises(CouldNotCheck, match="something else"):
        place.tried(action)


def test_an_undo_shows_both_templates_without_their_secrets_and_the_way_back(place: Place) -> None:
    found = place.tried("rollout_undo")
    assert (found.before["images"], found.after["images"]) == ({"web": "web:2"}, {"web": "web:1"})
    assert found.after["differs"]["spec.containers[web].image"] == "web:1"
    assert "secret of" not in json.dumps([dict(found.before), dict(found.after)])
    place.execute("rollout_undo")
    assert place.fake.one()["spec"]["template"]["spec"]["containers"][0]["image"] == "web:1"
    back = place.tried("rollout_undo", to_revision=2)
    assert dict(back.after) == dict(found.before)
    place.execute("rollout_undo", to_revision=2)  # the token is the same: a repetition
    assert place.fake.one()["spec"]["template"]["spec"]["containers"][0]["image"] == "web:1"


def test_an_undo_restores_the_earlier_template_to_the_letter(place: Place) -> None:
    place.fake.deploy("plain", images=("web:1",))
    first = copy.deepcopy(place.fake.one("plain")["spec"]["template"])
    changed = copy.deepcopy(first)
    changed["spec"]["containers"][0]["env"].append({"name": "DEBUG", "value": "1"})
    changed["metadata"]["labels"]["canary"] = "yes"
    place.fake.change("plain", template=changed)
    action = place.actions["kubernetes.rollout_undo"]
    arguments = {**WEB, "name": "plain"}
    action.execute(arguments, Observed(version_of(place.fake.one("plain"))), place.hands, KEY)
    assert place.fake.one("plain")["spec"]["template"] == first


@pytest.mark.parametrize("to", [None, 9])
def test_without_that_revision_there_is_nothing_to_undo(place: Place, to: int | None) -> None:
    place.fake.deploy("young")
    with pytest.raises(CouldNotCheck, match=r"no earlier revision|keeps no revision 9"):
        place.tried("rollout_undo", name="young", **({"to_revision": to} if to else {}))


def test_a_restart_changes_one_annotation_and_nothing_else(place: Place) -> None:
    before = copy.deepcopy(place.fake.one()["spec"])
    place.execute("rollout_restart")
    after = place.fake.one()["spec"]
    annotations = after["template"]["metadata"].pop("annotations")
    assert list(annotations) == ["kubectl.kubernetes.io/restartedAt"]
    assert after == before


def test_a_kubeconfig_over_tls_leads_there_and_a_stranger_s_certificate_does_not(
    place: Place, tmp_path: Path
) -> None:
    server = TlsServer(place.fake, make_certificate(tmp_path))
    config = tmp_path / "kubeconfig"
    with closing(server):
        config.write_text(kubeconfig(server.url, place.fake.token))
        place.hands = Credential("w", {"kubeconfig": str(config)})
        with pytest.raises(ActionFailed, match="certificate"):
            place.execute()
        authority = (tmp_path / "cert.pem").read_text()
        place.hands = Credential("w", {"server": server.url, "token": place.fake.token, "ca": authority})
        assert place.tried().after == {"replicas": 5}
        config.write_text(kubeconfig(server.url, place.fake.token, f"{tmp_path}/cert.pem"))
        place.hands = Credential("w", {"kubeconfig": f"{tmp_path}/./kubeconfig"})
        place.execute()
    assert place.fake.one()["spec"]["replicas"] == 5


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("namespaces: [shop, mail]", 'namespaces: ["*"]'),
        ("namespaces: [shop, mail]", "namespaces: [shop-*]"),
        ("namespaces: [shop, mail]", "namespaces: []"),
        ("rollout_undo: high", "rollout_undo: low"),
        ("scale: low", "scale: none"),
        ("  seconds: 2", "  seconds: 1000"),
        ("networks: [127.0.0.0/8]", "networks: [everywhere]"),
        ("tool: cluster_deployment", "tools: cluster_deployment"),
    ],
)
def test_a_declaration_that_reaches_too_far_is_refused(tmp_path: Path, line: str, says: str) -> None:
    file = tmp_path / "actions.yaml"
    assert line in ACTIONS
    file.write_text((ACTIONS % "").replace(line, says, 1 if "namespaces" not in line else 2))
    with pytest.raises(DefinitionError):
        registry.load(str(file))


def test_kubectl_writes_to_the_fake_as_we_do(place: Place, tmp_path: Path) -> None:
    """An independent client: what it rolls back and restarts on the fake is what we do there."""
    program = require_program("kubectl")
    server = TlsServer(place.fake, make_certificate(tmp_path))
    place.fake.rules[""] = [BASIC, {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]

    def run(*arguments: str) -> str:
        config = f"--kubeconfig={tmp_path}/kubeconfig"
        done = subprocess.run(
            [program, config, f"--cache-dir={tmp_path}/cache", "-n", "shop", *arguments],
            capture_output=True, text=True, timeout=60, env={**os.environ, "HOME": str(tmp_path)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    with closing(server):
        (tmp_path / "kubeconfig").write_text(kubeconfig(server.url, place.fake.token, f"{tmp_path}/cert.pem"))
        assert "web:2" in run("rollout", "history", "deployment/web", "--revision=2")
        place.execute("rollout_undo")
        assert "REVISION" in run("rollout", "history", "deployment/web")
        run("rollout", "undo", "deployment/web")
        assert place.fake.one()["spec"]["template"]["spec"]["containers"][0]["image"] == "web:2"
        run("rollout", "restart", "deployment/web")
        run("rollout", "status", "deployment/web")
    annotations = place.fake.one()["spec"]["template"]["metadata"]["annotations"]
    assert list(annotations) == ["kubectl.kubernetes.io/restartedAt"]
