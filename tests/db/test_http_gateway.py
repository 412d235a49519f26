"""Connectors over HTTP behind the gateway: every end is an entry, a cluster is proven first."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay_core.canonical import canonical
from assay_core.results import Status
from audit import reading
from tests.fakes import faults
from tests.fakes.families import FAMILIES, Family, cluster
from tests.fakes.server import FakeServer, serving
from tests.fakes.toolboxes import load
from toolbox import gateway, proofs, registry
from toolbox.called import Called
from toolbox.scope import CallScope

pytestmark = pytest.mark.django_db
SCOPE = CallScope(caller="playbook", investigation=11, incident=7)
Look = Callable[[Family], Called]


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Look]:
    def asked(family: Family) -> Called:
        toolbox = load(tmp_path, family.connectors, family.tools())
        monkeypatch.setattr(registry, "current", lambda: toolbox)
        try:
            return gateway.call("look", family.arguments, SCOPE)
        finally:
            toolbox.close()

    proofs.forget()
    monkeypatch.setenv("TEST_TOKEN", "kube-token")
    yield asked
    proofs.forget()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Family], FakeServer]]:
    opened: list[FakeServer] = []

    def serve(family: Family) -> FakeServer:
        server = FakeServer(family.answer)
        opened.append(server)
        monkeypatch.setenv("TEST_URL", server.url)
        return server

    yield serve
    for server in opened:
        server.close()


@pytest.mark.parametrize("name", FAMILIES)
def test_an_answer_is_an_entry_with_what_it_covered(
    look: Look, served: Callable[[Family], FakeServer], name: str
) -> None:
    served(FAMILIES[name])
    called = look(FAMILIES[name])
    assert called.status is Status.OBSERVED, called
    stored = reading.entry(called.entry)
    assert stored is not None
    assert stored.payload is not None
    assert stored.payload["covered"] == json.loads(canonical(called.covered))
    assert called.covered
    assert "kube-token" not in json.dumps(stored.payload)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_fault_is_an_entry_without_address_and_token(
    look: Look, served: Callable[[Family], FakeServer], name: str
) -> None:
    family = replace(FAMILIES[name], credential="bearer_env")
    server = served(family)
    server.fault = faults.says(500, b'{"error": "kube-token leaked"}')
    called = look(family)
    assert called.status is Status.UNAVAILABLE, called
    stored = reading.entry(called.entry)
    assert stored is not None
    text = json.dumps(stored.payload)
    assert "kube-token" not in text
    assert server.url not in text


def test_a_cluster_whose_account_can_write_is_refused_before_it_is_asked(
    look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    family, found = FAMILIES["kubernetes"], cluster()
    found.rules["mail"] = [{"verbs": ["delete"], "apiGroups": [""], "resources": ["pods"]}]
    found.add("namespaces", "", "mail")
    with serving(found) as server:
        monkeypatch.setenv("TEST_URL", server.url)
        called = look(family)
        assert [asked.path for asked in server.asked if "pods" in asked.path] == []
        assert called.status is Status.REFUSED
        assert "delete" in called.reason
        assert "mail" in called.reason
        del found.rules["mail"]
        proofs.forget()
        assert look(family).status is Status.OBSERVED
