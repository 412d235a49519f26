"""Fixtures of the flow tests: the example shop, the web process, workers with little patience."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.flow.kubeplace import actions, place  # noqa: F401 fixtures of the files about clusters
from tests.flow.play import Play
from tests.servers import ROOT, Servers
from triage.local.children import beat_arguments
from triage.local.world import World

Start = Callable[..., "subprocess.Popen[bytes]"]
READER_PASSWORD = "a reader's password for tests"
WRITER_PASSWORD = "a writer's password for tests"


@pytest.fixture(scope="session")
def world(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The example shop, loaded on the test server."""
    made = World(tmp_path_factory.mktemp("world"))
    made.load(servers.postgres.dsn("postgres"), READER_PASSWORD, WRITER_PASSWORD)
    return made


@pytest.fixture
def quick(servers: Servers, world: World) -> dict[str, str]:
    """Short patience everywhere, and the example shop's tools."""
    reader = servers.postgres.dsn("shop", "shop_reader")
    return {
        "LEASE_SECONDS": "3",
        "SWEEP_SECONDS": "1",
        "BROKER_VISIBILITY_SECONDS": "10",
        "DATABASE_POOL": "1",
        **world.variables(ROOT, reader),
    }


@pytest.fixture
def holding(servers: Servers, world: World, quick: dict[str, str]) -> dict[str, str]:
    """The same with the shop's write credential, for the execute worker alone."""
    writer = servers.postgres.dsn("shop", "shop_writer")
    return {**quick, **world.variables(ROOT, quick["SHOP_READER_URL"], writer)}


@pytest.fixture
def play(world: World, quick: dict[str, str], start_web: Callable[..., str], committed_db: None) -> Play:
    """The sources, and the web process; no workers yet."""
    made = Play(world.now, start_web(**quick))
    made.seed()
    return made


@pytest.fixture
def start_all(
    start_worker: Start, start_process: Start, quick: dict[str, str], tmp_path: Path
) -> Callable[[], "subprocess.Popen[bytes]"]:
    """Start the upkeep worker, beat and the investigate worker; returns the last."""

    def start() -> "subprocess.Popen[bytes]":
        start_worker("upkeep", **quick)
        start_process(*beat_arguments(tmp_path), **quick)
        return start_worker("investigate", **quick)

    return start
