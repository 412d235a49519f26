"""A cluster that is written to, what answers for it, and the actions on it: as fixtures."""

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from approvals.actions import registry
from approvals.actions.base import Action, Observed
from approvals.actions.kubernetes_cluster import version_of
from approvals.hands import Credential
from tests.db.clustering import ACTIONS
from tests.fakes.kubernetes_writes import WritableCluster
from tests.fakes.server import Asked, FakeServer, serving

KEY = "k" * 64
WEB = {"namespace": "shop", "name": "web"}
Fault = Callable[[socket.socket, Asked], None]


@dataclass
class Place:
    """A cluster, what answers for it, the actions on it, and the write credential."""

    fake: WritableCluster
    server: FakeServer
    actions: dict[str, Action]
    hands: Credential

    def execute(self, action: str = "scale", **arguments: Any) -> Any:
        observed = Observed(version_of(self.fake.one()))
        given = {**WEB, **({"replicas": 5} if action == "scale" else {}), **arguments}
        return self.actions[f"kubernetes.{action}"].execute(given, observed, self.hands, KEY)

    def tried(self, action: str = "scale", **arguments: Any) -> Any:
        given = {**WEB, **({"replicas": 5} if action == "scale" else {}), **arguments}
        return self.actions[f"kubernetes.{action}"].dry_run(given, self.hands)

    def probe(self) -> str:
        found = (self.actions[name].probe(self.hands) for name in sorted(self.actions))
        return next((wrong for wrong in found if wrong), "")

    def patches(self) -> list[Asked]:
        return [each for each in self.server.asked if each.method == "PATCH"]

    def fail(self, how: Fault) -> None:
        """From now on a patch is answered in this way, dry or not; all else as ever."""

        def fault(connection: socket.socket, asked: Asked) -> None:
            if asked.method == "PATCH":
                how(connection, asked)
            else:
                whole = self.fake(asked).bytes()
                connection.sendall(whole.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))

        self.server.fault = fault


@pytest.fixture(scope="module")
def actions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Action]:
    file = tmp_path_factory.mktemp("actions") / "actions.yaml"
    file.write_text((ACTIONS % "").replace("  seconds: 2", "  seconds: 10"))
    return of_clusters(file)


def of_clusters(file: Path) -> dict[str, Action]:
    found = registry.load(str(file)).actions
    return {name: action for name, action in found.items() if name.startswith("kubernetes.")}


@pytest.fixture
def place(actions: dict[str, Action]) -> Iterator[Place]:
    fake = WritableCluster()
    fake.rules["mail"] = fake.rules["shop"]
    fake.deploy(images=("web:1", "web:2"))
    with serving(fake) as server:
        yield Place(fake, server, actions, Credential("w", {"server": server.url, "token": fake.token}))
