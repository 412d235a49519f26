"""A world in which deployments of the fake cluster are written to, read by the shipped tool."""

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from accounts.roles import Role
from approvals import preparing, services
from approvals.actions import registry
from approvals.actions.base import Proposal
from approvals.models import ActionRequest
from approvals.outcomes import Proposer
from tests.db import writing
from tests.db.writing import World
from tests.fakes.kubernetes import BASIC
from tests.fakes.kubernetes_writes import WritableCluster
from tests.fakes.server import Asked, FakeServer, serving
from tests.fakes.toolboxes import load
from toolbox import proofs
from toolbox import registry as tools

SHIPPED = Path(__file__).parents[2] / "toolbox/definitions_shipped/kubernetes.yaml"
READS = {
    "verbs": ["get", "list"],
    "apiGroups": ["", "apps"],
    "resources": ["pods", "namespaces", "deployments"],
}
CONNECTORS = """
connectors:
  cluster: {kind: kubernetes, title: It, url_env: TEST_URL, networks: [127.0.0.0/8], namespaces: [shop],
            credential: {bearer_env: TEST_TOKEN}}
"""
ACTIONS = """
modules: [tests.fakes.writes]
policy: {namespaces: [shop], protected: ["deployment:shop/ledger*"], low: {quorum: 1}%s}
kubernetes:
  credential: cluster_writer
  namespaces: [shop, mail]
  tool: cluster_deployment
  networks: [127.0.0.0/8]
  seconds: 2
  settle_seconds: 0
  actions: {rollout_undo: high, scale: low, rollout_restart: low}
"""


@dataclass
class ClusterWorld(World):
    """The world of writes, with a cluster: `fake` is its state, `server` what answers for it."""

    fake: WritableCluster = field(default_factory=WritableCluster)
    server: FakeServer | None = None

    def ask(self, action: str, **arguments: Any) -> ActionRequest:
        """Propose a write to the deployment `web` and have it prepared."""
        request = services.propose(
            Proposal(f"kubernetes.{action}", {"namespace": "shop", "name": "web", **arguments}, writing.WHY),
            by=Proposer("model"), incident=None, investigation=None, cites=(), now=self.now,
        )  # fmt: skip
        preparing.prepare(request.pk, now=self.now)
        request.refresh_from_db()
        return request

    def agreed(self, action: str, **arguments: Any) -> ActionRequest:
        """Have it approved, too, by as many people as its risk asks for."""
        request = self.ask(action, **arguments)
        assert request.digest, request.outcome
        done = self.decide(request, self.person(Role.ON_CALL))
        return self.decide(request, self.person(Role.MANAGER)) if done.state == "proposed" else done

    def done(self, action: str, **arguments: Any) -> ActionRequest:
        """Have it executed."""
        return self.execute(self.agreed(action, **arguments))


@contextmanager
def opened(
    make_user: Callable[..., User],
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    folder: Path,
    policy: str = "",
) -> Iterator[ClusterWorld]:
    """Serve a cluster with one deployment of two revisions, and declare the writes to it."""
    world = ClusterWorld(make_user)
    world.fake.tokens["reader"] = {"": [READS, BASIC]}
    world.fake.rules["mail"] = world.fake.rules["shop"]
    world.fake.add("namespaces", "", "shop")
    world.fake.deploy(images=("web:1", "web:2"))
    (folder / "actions.yaml").write_text(ACTIONS % policy)
    settings.TRIAGE_ACTIONS = str(folder / "actions.yaml")
    registry.load.cache_clear()
    monkeypatch.setenv("TEST_TOKEN", "reader")
    proofs.forget()
    with serving(world.fake) as world.server:
        monkeypatch.setenv("TEST_URL", world.server.url)
        held = {"server": world.server.url, "token": world.fake.token}
        settings.EXECUTOR_SECRETS = json.dumps({"cluster_writer": held, "numbers": {"token": "n"}})
        toolbox = load(folder, CONNECTORS, SHIPPED.read_text())
        monkeypatch.setattr(tools, "current", lambda: toolbox)
        world.switch()
        world.probe(credential="cluster_writer")
        yield world
        toolbox.close()
    proofs.forget()


def patches(world: ClusterWorld) -> list[Asked]:
    """The patches that came and were no dry run."""
    assert world.server is not None
    return [each for each in world.server.asked if each.method == "PATCH" and each.one("dryRun") != "All"]


def at_the_patch(world: ClusterWorld, how: Callable[[socket.socket, Asked], None] | None) -> None:
    """From now on the patch that is meant is answered in this way; all else as ever."""
    server = world.server
    assert server is not None

    def fault(connection: socket.socket, asked: Asked) -> None:
        if how is not None and asked.method == "PATCH" and asked.one("dryRun") != "All":
            how(connection, asked)
        else:
            whole = world.fake(asked).bytes()
            connection.sendall(whole.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))

    server.fault = fault
