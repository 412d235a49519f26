"""Kubernetes: a credential that is proven both ways, and results that say where they looked."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay_core.results import Status
from tests.fakes.asking import Asking
from tests.fakes.families import FAMILIES, cluster
from tests.fakes.kubernetes import BASIC, READER, FakeCluster
from tests.fakes.server import Asked, Reply, serving
from tests.fakes.toolboxes import ask, load
from toolbox.connectors.credential import ProofImpossible, Provable
from toolbox.connectors.kubernetes import KubernetesConnector
from toolbox.deadline import Deadline
from toolbox.yamlfile import DefinitionError

ONE = FAMILIES["kubernetes"]
MANY = replace(
    ONE,
    question="""\
    objects:
      version: v1
      plural: pods
      namespace: namespace
      labels: {app: app}
      fields: {name: metadata.name, phase: status.phase, restarts: status.restarts}
""",
    properties="\n        namespace: {type: string}\n        app: {type: string}",
    arguments={"namespace": "shop", "app": "web"},
)


@pytest.fixture
def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asking:
    return Asking(tmp_path, monkeypatch)


def rule(verbs: str, resources: str, group: str = "", **more: Any) -> dict[str, Any]:
    return {"verbs": verbs.split(), "apiGroups": [group], "resources": resources.split(), **more}


def test_an_object_comes_with_the_place_that_was_looked_in(asking: Asking) -> None:
    outcome = asking(ONE, cluster())
    where = {"namespace": "shop", "kind": "pods", "name": "web-1"}
    assert outcome.status is Status.OBSERVED
    assert outcome.result == {"object": {"name": "web-1", "phase": "Running"}, "looked_in": where}
    assert outcome.covered == where


def test_a_missing_object_in_a_namespace_that_is_there_is_empty(asking: Asking) -> None:
    outcome = asking(ONE, cluster(), name="web-2")
    assert outcome.status is Status.EMPTY
    assert outcome.result["looked_in"]["namespace"] == "shop"


@pytest.mark.parametrize("family", [ONE, MANY])
def test_a_namespace_that_is_not_there_is_no_answer(asking: Asking, family: Any) -> None:
    outcome = asking(family, cluster(), namespace="shopp")
    assert outcome.status is Status.UNANSWERABLE
    assert "no namespace shopp" in outcome.reason


def test_a_kind_that_the_cluster_does_not_know_is_an_error(asking: Asking) -> None:
    family = replace(ONE, question=ONE.question.replace("plural: pods", "plural: podz"))
    found = cluster()
    found.rules[""] = [rule("get list watch", "pods podz namespaces"), BASIC]
    outcome = asking(family, found)
    assert outcome.status is Status.ERROR
    assert "does not know this kind" in outcome.reason


def test_objects_are_found_by_their_labels_and_what_is_left_out_is_null(asking: Asking) -> None:
    outcome = asking(MANY, cluster())
    assert outcome.status is Status.OBSERVED
    assert outcome.result["pods"] == [{"name": "web-1", "phase": "Running", "restarts": None}]
    assert outcome.covered is not None
    assert outcome.covered["labels"] == "app=web"


def test_no_object_with_the_label_is_empty(asking: Asking) -> None:
    assert asking(MANY, cluster(), app="mail").status is Status.EMPTY


def test_a_continued_list_is_truncated_and_counted(asking: Asking) -> None:
    found = cluster()
    for index in range(8):
        found.add("pods", "shop", f"more-{index}", labels={"app": "web"})
    outcome = asking(MANY, found)
    assert outcome.status is Status.TRUNCATED
    assert "4 further objects" in outcome.reason


@pytest.mark.parametrize(
    ("changed", "value"),
    [("name", "../secrets"), ("name", "web-1/log"), ("name", ""), ("namespace", "shop/pods"),
     ("namespace", "..")],
)  # fmt: skip
def test_a_name_cannot_be_another_path(asking: Asking, changed: str, value: str) -> None:
    assert asking(ONE, cluster(), **{changed: value}).status is Status.REFUSED
    assert asking.server is not None
    assert [asked.path for asked in asking.server.asked if "pods" in asked.path] == []


@pytest.mark.parametrize("value", ["web,tier=db", "web)", "", "a b"])
def test_a_label_cannot_be_another_selector(asking: Asking, value: str) -> None:
    assert asking(MANY, cluster(), app=value).status is Status.REFUSED


PLANTED = {
    "delete": rule("delete", "pods"),
    "patch": rule("get patch", "deployments", "apps"),
    "create": rule("create", "pods"),
    "everything": rule("*", "*", "*"),
    "a named object": rule("update", "configmaps", resourceNames=["one"]),
    "impersonate": rule("impersonate", "users"),
    "escalate": rule("escalate bind", "roles", "rbac.authorization.k8s.io"),
    "a token": rule("create", "serviceaccounts/token"),
    "a review of others": rule("create", "subjectaccessreviews", "authorization.k8s.io"),
    "exec by get": rule("get", "pods/exec"),
    "attach by get": rule("get", "pods/attach"),
    "port-forward by get": rule("get", "pods/portforward"),
    "a proxy by get": rule("get", "services/proxy"),
    "a node's proxy by get": rule("get", "nodes/proxy"),
    "get on all subresources": rule("get", "pods/*"),
    "get on everything": rule("get list watch", "*"),
    "exec anywhere": rule("get", "*/exec"),
    "secrets": rule("get list", "secrets"),
    "one secret": rule("get", "secrets", resourceNames=["one"]),
    "a console": rule("get", "virtualmachineinstances/console", "subresources.kubevirt.io"),
    "no group": {**rule("create", "pods"), "apiGroups": []},
    "ephemeral containers": rule("get update", "pods/ephemeralcontainers"),
    "approving": rule("approve", "signers", "certificates.k8s.io"),
    "every group": rule("create", "selfsubjectaccessreviews", "*"),
    "deletecollection": rule("deletecollection", "jobs", "batch"),
    "create beside the harmless": rule("create", "selfsubjectaccessreviews pods", "authorization.k8s.io"),
}


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("namespace", ["", "shop", "kube-system", "mail"])
def test_a_planted_right_takes_the_tools_away_until_it_is_gone(
    asking: Asking, name: str, namespace: str
) -> None:
    found = cluster()
    found.add("namespaces", "", "mail")
    found.rules.setdefault(namespace, []).append(PLANTED[name])
    outcome = asking(ONE, found)
    assert outcome.status is Status.REFUSED
    assert "more than read" in outcome.reason
    assert PLANTED[name]["resources"][0].partition("/")[0] in outcome.reason
    found.rules[namespace].pop()
    assert asking(ONE, found).status is Status.OBSERVED


def test_a_right_on_an_address_that_is_no_object_is_found(asking: Asking) -> None:
    found = cluster()
    found.paths.append({"verbs": ["post"], "nonResourceURLs": ["/debug/*"]})
    outcome = asking(ONE, found)
    assert outcome.status is Status.REFUSED
    assert "/debug/*" in outcome.reason


def test_rights_that_the_cluster_cannot_list_prove_nothing(asking: Asking) -> None:
    outcome = asking(ONE, replace(cluster(), incomplete=True))
    assert outcome.status is Status.REFUSED
    assert "cannot list" in outcome.reason


def test_a_missing_read_is_named_with_its_namespace(asking: Asking) -> None:
    found = cluster()
    found.rules[""] = [rule("list watch", "pods namespaces"), rule("get", "namespaces"), BASIC]
    outcome = asking(ONE, found)
    assert outcome.status is Status.ERROR
    assert "may not get pods in shop" in outcome.reason


def test_a_read_of_named_objects_only_is_not_the_read_of_all(asking: Asking) -> None:
    found = cluster()
    found.rules[""] = [rule("get", "pods", resourceNames=["web-9"]), rule("get list", "namespaces"), BASIC]
    assert asking(ONE, found).status is Status.ERROR


def test_a_namespace_that_is_not_named_is_not_asked(asking: Asking) -> None:
    named = ONE.connectors.replace("title: It", "title: It, namespaces: [mail]")
    outcome = asking(ONE, cluster(), named)
    assert outcome.status is Status.REFUSED
    assert "not among those" in outcome.reason


def test_too_many_namespaces_to_prove_are_refused_with_the_cure(asking: Asking) -> None:
    found = cluster()
    for index in range(120):
        found.add("namespaces", "", f"team-{index}")
    outcome = asking(ONE, found)
    assert outcome.status is Status.REFUSED
    assert "`namespaces:`" in outcome.reason


def test_secrets_are_not_read(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="secrets are not read"):
        load(tmp_path, ONE.connectors, ONE.tools().replace("plural: pods", "plural: secrets"))


@pytest.fixture
def connector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[KubernetesConnector, FakeCluster]]:
    found = cluster()
    with serving(found) as server:
        monkeypatch.setenv("TEST_URL", server.url)
        monkeypatch.setenv("TEST_TOKEN", "kube-token")
        made = load(tmp_path, ONE.connectors, ONE.tools()).connectors["it"]
        assert isinstance(made, KubernetesConnector)
        yield made, found
        made.close()


def test_the_proof_is_the_one_that_all_connectors_have(
    connector: tuple[KubernetesConnector, FakeCluster],
) -> None:
    made, found = connector
    assert isinstance(made, Provable)
    assert made.is_configured()
    clean = made.prove(Deadline(5))
    assert (clean.findings, clean.credential) == ((), "TEST_TOKEN")
    found.rules[""] = [READER, BASIC, PLANTED["delete"]]
    (finding, *_) = made.prove(Deadline(5)).findings
    assert (finding.privilege, finding.object) == ("delete", "pods")
    assert "kubectl auth can-i --list" in finding.cure


def test_a_cluster_that_cannot_be_asked_is_not_proven(
    connector: tuple[KubernetesConnector, FakeCluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = connector
    monkeypatch.setenv("TEST_TOKEN", "another")
    with pytest.raises(ProofImpossible, match="TEST_TOKEN"):
        made.prove(Deadline(5))


def test_a_proof_is_kept_for_a_while_and_serves_all_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(cluster()) as server:
        monkeypatch.setenv("TEST_URL", server.url)
        monkeypatch.setenv("TEST_TOKEN", "kube-token")
        toolbox = load(tmp_path, ONE.connectors, ONE.tools())
        ask(toolbox, "look", **ONE.arguments)
        before = sum(asked.method == "POST" for asked in server.asked)
        threads = [threading.Thread(target=lambda: ask(toolbox, "look", **ONE.arguments)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        assert sum(asked.method == "POST" for asked in server.asked) == before
        future = time.monotonic() + 400
        monkeypatch.setattr(time, "monotonic", lambda: future)
        ask(toolbox, "look", **ONE.arguments)
        monkeypatch.undo()
        toolbox.close()
    assert sum(asked.method == "POST" for asked in server.asked) > before


@pytest.mark.parametrize(
    "metadata",
    [{"name": "web-1", "namespace": "mail"}, {"name": "web-2", "namespace": "shop"}, {"name": "web-1"}],
)
def test_an_object_of_another_place_is_an_error(asking: Asking, metadata: dict[str, str]) -> None:
    found = cluster()
    found.objects[("pods", "shop", "web-1")] = {"metadata": metadata, "status": {"phase": "Running"}}
    assert asking(ONE, found).status is Status.ERROR


def test_a_namespace_that_is_another_one_proves_nothing(asking: Asking) -> None:
    def answer(asked: Asked) -> Reply:
        if asked.path == "/api/v1/namespaces/shop":
            return Reply(body={"kind": "Status", "metadata": {"name": "mail"}, "status": "Failure"})
        return cluster()(asked)

    assert asking(MANY, answer, app="db").status is Status.ERROR


def test_an_object_that_comes_twice_is_an_error(asking: Asking) -> None:
    def answer(asked: Asked) -> Reply:
        plain = cluster()(asked)
        if asked.path.endswith("/pods"):
            plain.body["items"] *= 2
        return plain

    assert asking(MANY, answer).status is Status.ERROR


def test_an_object_without_the_asked_label_is_an_error(asking: Asking) -> None:
    def answer(asked: Asked) -> Reply:
        plain = cluster()(asked)
        if asked.path.endswith("/pods"):
            plain.body["items"][0]["metadata"]["labels"] = {"app": "mail"}
        return plain

    outcome = asking(MANY, answer)
    assert outcome.status is Status.ERROR
    assert "app='mail'" in outcome.reason
