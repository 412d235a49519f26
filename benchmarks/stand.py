"""What a benchmark stands on: embedded servers with a migrated database, the example shop, processes."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from triage.local import children, processes
from triage.local.postgres import PostgresServer
from triage.local.servers import Servers
from triage.local.start import reader_dsn
from triage.local.world import World

ROOT = Path(__file__).resolve().parent.parent
_PASSWORDS = ("superuser", "owner", "app")


@dataclass(slots=True)
class Stand:
    """Running servers; `variables` is the environment in which the application's processes reach them."""

    folder: Path
    servers: Servers
    variables: dict[str, str]
    _started: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def start(self, name: str, *arguments: str, **variables: str) -> "subprocess.Popen[bytes]":
        """Start `python ...`; its output goes to a file of that name. It ends with the stand."""
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env={**self.variables, **variables},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=processes.dies_with_parent(signal.SIGKILL),
            )
        self._started.append(process)
        return process

    def serve(self, name: str, application: str) -> int:
        """Serve an ASGI application as the launcher does; return its port once it answers."""
        port = _free_port()
        process = self.start(name, *_as_served(application, port))
        wait_until(lambda: process.poll() is not None or _answers(port), seconds=60, what=f"{name} to answer")
        if process.poll() is not None:
            raise SystemExit(f"{name} ended at once:\n{self.tail(name)}")
        return port

    def run(self, *arguments: str) -> str:
        """Run `python ...` to its end and return what it printed; SystemExit with its output if it fails."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"python {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def add_source(self, slug: str, adapter: str) -> str:
        """Add a source that is posted to; return its secret."""
        self.variables["BENCH_SECRET"] = secret = secrets.token_hex(20)
        options = ("--adapter", adapter, "--title", slug, "--secret-env", "BENCH_SECRET")
        self.run("manage.py", "addsource", slug, *options)
        return secret

    def tail(self, name: str) -> str:
        """Return the end of what a process printed."""
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")[-3000:]

    def load_shop(self) -> None:
        """Load the example shop and let the application's processes ask it."""
        assert self.servers.postgres is not None
        world, admin, password = (
            World(self.folder),
            self.servers.postgres.dsn("postgres"),
            secrets.token_hex(12),
        )
        world.load(admin, password)
        self.variables.update(world.variables(ROOT, reader_dsn(admin, password)))

    def close(self) -> None:
        """End the processes and the servers."""
        for process in self._started:
            processes.end(process.pid, gently=signal.SIGTERM, seconds=10, whole_group=True)
            process.wait(10)
        self.servers.close()


@contextmanager
def standing() -> Iterator[Stand]:
    """Start servers that keep what they commit (fsync on), as in production, and migrate."""
    with (
        tempfile.TemporaryDirectory(prefix="assay-bench-", dir="/tmp") as name,
        standing_in(Path(name)) as stand,
    ):
        yield stand


@contextmanager
def standing_in(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[Stand]:
    """Start servers over a folder, which may hold a database from before, and migrate.

    Without settings PostgreSQL runs with its own defaults.
    """
    folder.chmod(0o755)  # the account that PostgreSQL steps down to walks through
    servers = Servers(folder, _passwords(folder), {})
    if settings:
        assert servers.postgres is not None
        servers.postgres.close()
        servers.postgres = PostgresServer(
            folder / "postgres", password=_passwords(folder)["superuser"], settings=settings
        )
    stand = Stand(folder, servers, dict(os.environ))
    try:
        servers.start()
        stand.variables.update(
            servers.variables,
            DATABASE_POOL="1",
            CALLER_CALLS_A_MINUTE="10000000",
            TOOL_CALLS_A_MINUTE="10000000",
            PYTHONUNBUFFERED="1",
            DJANGO_SETTINGS_MODULE="triage.settings",
            SECRET_KEY=secrets.token_urlsafe(50),
        )
        stand.run("manage.py", "migrate", "--verbosity", "0")
        yield stand
    finally:
        stand.close()


def _passwords(folder: Path) -> dict[str, str]:
    """Return the passwords of this folder's roles, made once."""
    kept = folder / "passwords.json"
    if not kept.exists():
        kept.touch(mode=0o600)
        kept.write_text(json.dumps({who: secrets.token_hex(12) for who in _PASSWORDS}), encoding="utf-8")
    found: dict[str, str] = json.loads(kept.read_text(encoding="utf-8"))
    return found


def use_django(variables: Mapping[str, str], *, pooled: bool = False) -> None:
    """Set Django up in this process; before anything of the project is imported.

    `pooled`: as the launcher's workers are, whose connections keep the statements that they have prepared.
    """
    os.environ.update(variables, DATABASE_POOL="1" if pooled else "")
    import django

    django.setup()


def wait_until(is_so: Callable[[], bool], *, seconds: float, what: str, every: float = 0.02) -> None:
    """Return once it is so; SystemExit when that takes too long."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            raise SystemExit(f"waited {seconds:g} s in vain for {what}")
        time.sleep(every)


def _as_served(application: str, port: int) -> list[str]:
    usual = children.web_arguments("127.0.0.1", port)
    if application == "triage.asgi:application":
        return list(usual)
    others = {"triage.asgi:application": application, "on": "auto"}  # Django alone knows no lifespan
    return [others.get(word, word) for word in usual]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2).close()
    except urllib.error.HTTPError as answer:
        answer.close()
    except OSError:
        return False
    return True
