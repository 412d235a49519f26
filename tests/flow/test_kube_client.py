"""The official client over our own transport: no verb but a read leaves, and its configurations are read."""

import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client

from assay_core.results import Status
from tests.fakes.families import FAMILIES, cluster
from tests.fakes.server import FakeServer, serving
from tests.fakes.server import Reply as Answered
from tests.fakes.toolboxes import ask, load
from toolbox.connectors.base import Outcome
from toolbox.connectors.http import Ask, Reply
from toolbox.connectors.httpstatus import Failure
from toolbox.connectors.kubeclient import ClusterClient, refuse_all_but_reads
from toolbox.connectors.kubeproof import REVIEW
from toolbox.connectors.kubequestion import KubeQuestion
from toolbox.yamlfile import DefinitionError

ONE = FAMILIES["kubernetes"]
WRITES = ("create_", "delete_", "patch_", "replace_", "connect_")
GROUPS = (client.CoreV1Api, client.AppsV1Api, client.BatchV1Api, client.RbacAuthorizationV1Api)
GIVEN = {"name": "web-1", "namespace": "shop", "path": "x", "body": {"metadata": {"name": "web-1"}}}


def writes() -> list[tuple[Any, str]]:
    return [
        (group, name)
        for group in GROUPS
        for name in dir(group)
        if name.startswith(WRITES) and not name.endswith("_with_http_info")
    ]


@pytest.fixture(scope="module")
def made() -> ClusterClient:
    return ClusterClient()


def required(method: Any) -> dict[str, Any]:
    found = inspect.signature(method).parameters.values()
    return {one.name: GIVEN[one.name] for one in found if one.default is inspect.Parameter.empty}


def test_no_verb_but_get_list_and_watch_leaves_the_process(made: ClusterClient) -> None:
    sent: list[Ask] = []

    def exchange(asked: Ask) -> Reply:
        sent.append(asked)
        return Reply(200, {})

    refused = 0
    for group, name in writes():
        method = getattr(group(made._api), name)
        # A body that is none of its kind is refused by the client itself, before it comes so far.
        with made.transport.through(exchange, absent=False), pytest.raises((Failure, ValueError)) as ended:
            method(_preload_content=False, **required(method))
        refused += ended.type is Failure
    assert sent == []
    assert refused > 150


@pytest.mark.parametrize("verb", ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "CONNECT", "get", ""])
def test_a_verb_of_no_read_is_refused(verb: str) -> None:
    with pytest.raises(Failure):
        refuse_all_but_reads(verb, "/api/v1/pods")


@pytest.mark.parametrize("part", ["exec", "attach", "portforward", "proxy", "proxy/healthz", "exec?stdin=1"])
def test_a_get_that_opens_a_shell_or_a_tunnel_is_refused(part: str) -> None:
    with pytest.raises(Failure):
        refuse_all_but_reads("GET", f"/api/v1/namespaces/shop/pods/web-1/{part}")


@pytest.mark.parametrize("target", ["/api/v1/namespaces/shop/pods", REVIEW + "/", REVIEW + "?dryRun=All"])
def test_nothing_is_posted_but_the_one_question(target: str) -> None:
    with pytest.raises(Failure):
        refuse_all_but_reads("POST", target)
    refuse_all_but_reads("POST", REVIEW)


def test_outside_a_calls_bounds_nothing_is_asked(made: ClusterClient) -> None:
    with pytest.raises(Failure, match="bounds"):
        client.CoreV1Api(made._api).list_namespace()


@pytest.mark.parametrize(
    ("group", "version", "plural", "address"),
    [
        ("", "v1", "pods", "/api/v1/namespaces/shop/pods"),
        ("", "v1", "podz", "/api/v1/namespaces/shop/podz"),
        ("apps", "v1", "statefulsets", "/apis/apps/v1/namespaces/shop/statefulsets"),
        ("batch", "v1", "cronjobs", "/apis/batch/v1/namespaces/shop/cronjobs"),
        ("argoproj.io", "v1alpha1", "rollouts", "/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts"),
    ],
)
def test_every_kind_has_its_address(
    made: ClusterClient, group: str, version: str, plural: str, address: str
) -> None:
    sent: list[Ask] = []

    def exchange(asked: Ask) -> Reply:
        sent.append(asked)
        return Reply(404, None)

    plan = KubeQuestion(group, version, plural, "namespace", "name", {}, {})
    assert made.one(exchange, plan, "shop", "web-1").status == 404
    made.listed(exchange, plan, "shop", 20, "app=web")
    assert sent[0] == Ask(f"{address}/web-1", absent=True)
    assert sent[1].target.partition("?")[0] == address
    assert set(sent[1].target.partition("?")[2].split("&")) == {"limit=20", "labelSelector=app%3Dweb"}


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving(cluster()) as running:
        yield running


def kubeconfig(folder: Path, address: str, **user: Any) -> str:
    named = {"name": "it"}
    (folder / "config").write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "it",
                "clusters": [{**named, "cluster": {"server": address}}],
                "users": [{**named, "user": user}],
                "contexts": [{**named, "context": {"cluster": "it", "user": "it"}}],
            }
        )
    )
    return str(folder / "config")


def looked(folder: Path, connectors: str) -> Outcome:
    toolbox = load(folder, connectors, ONE.tools())
    try:
        return ask(toolbox, "look", **ONE.arguments)
    finally:
        toolbox.close()


def from_config() -> str:
    return (
        "connectors: {it: {kind: kubernetes, title: It, kubeconfig_env: TEST_KUBECONFIG,"
        " networks: [127.0.0.0/8]}}\n"
    )


def test_a_kubeconfig_names_cluster_and_token(
    server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KUBECONFIG", kubeconfig(tmp_path, server.url, token="kube-token"))
    outcome = looked(tmp_path, from_config())
    assert outcome.status is Status.OBSERVED, outcome.reason


def test_a_kubeconfigs_program_gives_the_token(
    server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential"}
    script = tmp_path / "token.py"
    script.write_text(f"print({json.dumps(json.dumps({**told, 'status': {'token': 'kube-token'}}))})")
    program = {
        "apiVersion": told["apiVersion"],
        "command": sys.executable,
        "args": [str(script)],
        "interactiveMode": "Never",
    }
    monkeypatch.setenv("TEST_KUBECONFIG", kubeconfig(tmp_path, server.url, exec=program))
    outcome = looked(tmp_path, from_config())
    assert outcome.status is Status.OBSERVED, outcome.reason


@pytest.mark.parametrize("text", ["", "{", "clusters: []"])
def test_a_kubeconfig_that_cannot_be_used_is_told_without_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (tmp_path / "config").write_text(text)
    monkeypatch.setenv("TEST_KUBECONFIG", str(tmp_path / "config"))
    outcome = looked(tmp_path, from_config())
    assert outcome.status is Status.UNAVAILABLE
    assert "the kubeconfig that TEST_KUBECONFIG names cannot be used" in outcome.reason


def test_outside_a_pod_the_pods_account_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    declared = "connectors: {it: {kind: kubernetes, title: It, in_cluster: true}}\n"
    outcome = looked(tmp_path, declared)
    assert outcome.status is Status.UNAVAILABLE
    assert "the pod's account cannot be used" in outcome.reason


@pytest.mark.parametrize(
    "more", ["in_cluster: true, kubeconfig_env: A", "in_cluster: false", "kubeconfig_env: A, url_env: B"]
)
def test_a_cluster_is_named_in_one_way(tmp_path: Path, more: str) -> None:
    declared = f"connectors: {{it: {{kind: kubernetes, title: It, {more}}}}}\n"
    with pytest.raises(DefinitionError, match="two ways"):
        load(tmp_path, declared, ONE.tools())


def test_a_redirect_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda asked: Answered(302, headers={"Location": "/elsewhere"})) as running:
        monkeypatch.setenv("TEST_KUBECONFIG", kubeconfig(tmp_path, running.url, token="kube-token"))
        outcome = looked(tmp_path, from_config())
    assert outcome.status is not Status.OBSERVED
    assert [asked.path for asked in running.asked if asked.path == "/elsewhere"] == []
