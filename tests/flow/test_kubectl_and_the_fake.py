"""The fake cluster, looked at with the real kubectl: an independent client must read it as we do."""

import contextlib
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import require_program
from tests.fakes.families import cluster
from tests.fakes.kubernetes import FakeCluster
from tests.fakes.tls import TlsServer, make_certificate
from toolbox.connectors import kubeproof
from toolbox.connectors.httpjson import Part

Kubectl = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def fake() -> FakeCluster:
    return cluster()


@pytest.fixture
def kubectl(fake: FakeCluster, tmp_path: Path) -> Iterator[Kubectl]:
    program = require_program("kubectl")
    server = TlsServer(fake, make_certificate(tmp_path))
    with contextlib.closing(server):
        (tmp_path / "config").write_text(
            json.dumps(
                {
                    "apiVersion": "v1",
                    "kind": "Config",
                    "current-context": "it",
                    "clusters": [
                        {
                            "name": "it",
                            "cluster": {
                                "server": server.url,
                                "certificate-authority": f"{tmp_path}/cert.pem",
                            },
                        }
                    ],
                    "users": [{"name": "it", "user": {"token": fake.token}}],
                    "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
                }
            )
        )

        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [program, f"--kubeconfig={tmp_path}/config", f"--cache-dir={tmp_path}/cache", *arguments],
                capture_output=True, text=True, timeout=60, env={**os.environ, "HOME": str(tmp_path)},
            )  # fmt: skip

        yield run


def read(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_kubectl_reads_an_object(kubectl: Kubectl) -> None:
    assert read(kubectl("get", "pod", "web-1", "-n", "shop", "-o", "json"))["status"]["phase"] == "Running"


def test_kubectl_lists_by_label(kubectl: Kubectl, fake: FakeCluster) -> None:
    fake.add("pods", "shop", "mail-1", labels={"app": "mail"})
    found = read(kubectl("get", "pods", "-n", "shop", "-l", "app=web", "-o", "json"))
    assert [item["metadata"]["name"] for item in found["items"]] == ["web-1"]


def test_kubectl_says_what_is_not_there(kubectl: Kubectl) -> None:
    done = kubectl("get", "pod", "web-9", "-n", "shop")
    assert done.returncode == 1
    assert 'Error from server (NotFound): pods "web-9" not found' in done.stderr


def test_kubectl_is_given_the_review_that_the_proof_reads(
    kubectl: Kubectl, fake: FakeCluster, tmp_path: Path
) -> None:
    fake.rules["shop"] = [{"verbs": ["delete"], "apiGroups": ["apps"], "resources": ["deployments"]}]
    (tmp_path / "review.json").write_text(json.dumps(kubeproof.body("shop")))
    answer = read(kubectl("create", "--raw", kubeproof.REVIEW, "-f", f"{tmp_path}/review.json"))
    review = kubeproof.read(Part(answer), "shop")
    assert [finding.privilege for finding in review.findings()] == ["delete"]
    assert review.allows(kubeproof.Need("get", "", "pods"))
