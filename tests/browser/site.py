"""The application as its users meet it: web process, worker, and the example shop's incidents, judged."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.db import connections

from incidents.models import Incident
from tests import scripted
from tests.conftest import wait_until
from tests.fakes import writes
from tests.flow.play import Play
from tests.servers import ROOT, Servers
from tests.web.hostile import TEXTS
from triage.demo import example, seeding
from triage.local import processes
from triage.local.children import worker_arguments
from triage.local.world import World

READER_PASSWORD = "a reader's password for tests"


@dataclass(frozen=True, slots=True)
class Site:
    """Where the pages are, who may sign in, and the incidents by their titles."""

    address: str
    passwords: Mapping[str, str]
    incidents: Mapping[str, int]
    hostile: tuple[int, ...]
    model: scripted.Endpoint
    folder: Path


@contextmanager
def serve(servers: Servers, folder: Path) -> Iterator[Site]:
    """Serve the example shop after all its deliveries were judged. Ends every process that it started."""
    world = World(folder)
    world.load(servers.postgres.dsn("postgres"), READER_PASSWORD)
    environment = {
        **servers.environment(),
        "DATABASE_POOL": "1",
        **world.variables(ROOT, servers.postgres.dsn("shop", "shop_reader")),
        "INVESTIGATOR": "playbook",
        "TRIAGE_ACTIONS": str(shop_actions(folder)),
        writes.FOLDER: str(folder),
        # Nobody has read its data terms, so nothing is sent there.
        "CANDIDATE_LLM_BASE_URL": "https://models.example.com/v1",
        "CANDIDATE_MODEL_ID": "new-1",
    }
    model = scripted.Endpoint(lambda request: scripted.says("The script of this test says nothing."))
    environment |= model.variables
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str, **variables: str) -> None:
        started.append(
            subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env={**environment, **variables},
                start_new_session=True,
                preexec_fn=processes.dies_with_parent(signal.SIGKILL),
            )
        )

    try:
        play = Play(world.now, f"http://localhost:{_free_port()}")
        start(
            "-m", "uvicorn", "triage.asgi:application", "--host", "127.0.0.1",
            "--port", play.address.rpartition(":")[2], "--log-level", "warning", "--lifespan", "on",
            BASE_URL=play.address,
        )  # fmt: skip
        start(*worker_arguments("upkeep,investigate"))
        yield _played(play, model, folder)
    finally:
        model.close()
        for process in started:
            processes.end(process.pid, gently=signal.SIGTERM, seconds=10, whole_group=True)
            process.wait(15)


def _played(play: Play, model: scripted.Endpoint, folder: Path) -> Site:
    seeding.seed_people(example.people())
    play.seed()
    wait_until(lambda: _listens(play.address), seconds=60)
    play.post([_hostile(play), *play.postings])
    wait_until(play.is_over, seconds=120)
    rows = list(Incident.objects.order_by("pk").values_list("pk", "title", "sender_key"))
    connections.close_all()
    return Site(
        address=play.address,
        passwords={one["username"]: one["password"] for one in example.people()},
        incidents={title: pk for pk, title, _ in reversed(rows)},
        hostile=tuple(pk for pk, _, key in rows if key.startswith("hostile-")),
        model=model,
        folder=folder,
    )


def shop_actions(folder: Path) -> Path:
    """The shop's own writes, and those of the pages that are looked at."""
    file = folder / "actions.yaml"
    shop = (ROOT / "examples" / "shop" / "actions.yaml").read_text(encoding="utf-8")
    file.write_text(f"{shop}\nmodules: [tests.browser.stock]\n", encoding="utf-8")
    return file


def _hostile(play: Play) -> example.Posting:
    """One webhook whose alerts carry harmful text in every field that a sender fills."""
    alerts = [
        {
            "status": "firing",
            "fingerprint": f"hostile-{number}",
            "labels": {"alertname": text, "severity": text, "service": text, f"label {number}": text},
            "annotations": {"summary": text, "description": text},
            "startsAt": play.now.isoformat(),
        }
        for number, text in enumerate(TEXTS.values())
    ]
    body = json.dumps({"version": "4", "status": "firing", "alerts": alerts}).encode()
    return example.Posting("hostile", "prometheus", body, "application/json")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _listens(address: str) -> bool:
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, int(port))) == 0
