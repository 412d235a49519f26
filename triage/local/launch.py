"""Starts and keeps everything that `make demo` and `make run` need, and leaves nothing running behind."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

import yaml
from psycopg.conninfo import conninfo_to_dict

from triage.local import children, passwords, ports, supervisor, unprivileged
from triage.local.claim import Claim
from triage.local.progress import Step, run_together, wait_until
from triage.local.refusals import CannotStart
from triage.local.servers import Servers
from triage.local.supervisor import Supervisor
from triage.local.world import World, admin_dsn

ROOT = Path(__file__).resolve().parent.parent.parent


class Stopped(BaseException):
    """Ctrl-C, or a request to end."""


@dataclass(slots=True)
class Launcher:
    """One start: its folder, its servers, its children."""

    folder: Path
    claim: Claim
    environment: Mapping[str, str]

    def run(self, mode: str) -> int:
        """Start everything, and stay until stopped; return the exit code."""
        for name in supervisor.clean_up(self.folder):
            print(f"  Ended {name}, which an earlier start had left running.")
        secrets = passwords.keep(self.folder / "secrets.json")
        port = ports.choose(self.environment)
        servers = Servers(self.folder, secrets, self.environment)
        keeper = Supervisor(ROOT, self.folder)
        try:
            return self._run(mode, port, servers, keeper)
        finally:
            _end_quietly(keeper, servers)

    def _run(self, mode: str, port: int, servers: Servers, keeper: Supervisor) -> int:
        secrets = passwords.keep(self.folder / "secrets.json")
        step = Step("Starting PostgreSQL and Valkey")
        servers.start()
        step.done()
        for name, pid in servers.pids().items():
            keeper.note_server(name, pid)
        address = f"http://localhost:{port}"
        everything = self._everything(servers, secrets, address)
        self._prepare(keeper, servers, everything, secrets)
        (self.folder / "environment.json").touch(mode=0o600)
        names = connector_names(everything)
        command = children.environment_of("command", everything, connector_names=names)
        (self.folder / "environment.json").write_text(json.dumps(command), encoding="utf-8")
        host = self.environment.get("HOST_ADDRESS", "127.0.0.1")
        for child in children.application(
            everything, connector_names=names, address=(host, port), folder=self.folder
        ):
            keeper.start(child)
        self._wait_for_web(keeper, address)
        self.claim.tell(address)
        code = self._present(mode, keeper, {**command, "DEMO_SECRET": secrets["demo"]}, address)
        if self.environment.get("DEMO_ONCE") == "1":
            return code
        print("\nCtrl-C stops everything.", flush=True)
        return self._stay(servers, keeper)

    def _everything(self, servers: Servers, secrets: Mapping[str, str], address: str) -> dict[str, str]:
        return {
            **self.environment,
            **servers.variables,
            "SECRET_KEY": self.environment.get("SECRET_KEY") or secrets["secret_key"],
            "BASE_URL": self.environment.get("BASE_URL") or address,
            "DATABASE_POOL": "1",
            "PYTHONUNBUFFERED": "1",
            **self._world(servers, secrets),
        }

    def _world(self, servers: Servers, secrets: Mapping[str, str]) -> dict[str, str]:
        reader = reader_dsn(admin_dsn(servers.postgres, self.environment), secrets["shop_reader"])
        return World(self.folder).variables(ROOT, reader)

    def _prepare(
        self, keeper: Supervisor, servers: Servers, everything: Mapping[str, str], secrets: Mapping[str, str]
    ) -> None:
        """Migrate as the owner and load the example world, side by side."""
        owner = children.environment_of("command", everything, connector_names=frozenset())
        works = {
            "migrate": keeper.spawn(
                children.Child("migrate", ("manage.py", "migrate", "--verbosity", "1"), owner)
            )
        }
        admin = admin_dsn(servers.postgres, self.environment)
        if not World(self.folder).is_loaded(admin):
            variables = {**owner, "SHOP_ADMIN_URL": admin, "SHOP_READER_PASSWORD": secrets["shop_reader"]}
            arguments = ("-m", "triage.local.world", str(self.folder))
            works["world"] = keeper.spawn(children.Child("world", arguments, variables))
        title = "Migrating" + (", loading the example shop" if "world" in works else "")
        run_together(title, works, logs=self.folder)

    def _wait_for_web(self, keeper: Supervisor, address: str) -> None:
        def is_up() -> bool:
            if not keeper.is_running("web"):
                tail = (self.folder / "web.log").read_text(encoding="utf-8", errors="replace")[-1500:]
                raise CannotStart(f"The web process ended at once. It said:\n{tail}")
            return answers(address)

        wait_until(
            is_up,
            title="Starting web, workers and beat",
            seconds=60,
            otherwise=f"The web process did not answer within 60 s: read {self.folder / 'web.log'}.",
        )

    def _present(self, mode: str, keeper: Supervisor, variables: Mapping[str, str], address: str) -> int:
        """Run the demo command in the terminal, tending the children meanwhile."""
        arguments = ["manage.py", "demo", "--address", address, "--now", World(self.folder).now.isoformat()]
        if mode == "run":
            arguments.append("--no-deliveries")
        process = subprocess.Popen(
            [sys.executable, *arguments], cwd=ROOT, env=dict(variables), start_new_session=True
        )
        try:
            while process.poll() is None:
                keeper.tend()
                time.sleep(0.1)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
        return process.returncode

    def _stay(self, servers: Servers, keeper: Supervisor) -> int:
        while True:
            if servers.tend(_say):
                for name, pid in servers.pids().items():
                    keeper.note_server(name, pid)
            keeper.tend()
            time.sleep(0.3)


def answers(address: str) -> bool:
    """Whether the web process answers at all."""
    try:
        urllib.request.urlopen(f"{address}/healthz", timeout=2).close()
    except urllib.error.HTTPError as answer:
        answer.close()
        return answer.code < 500
    except OSError:
        return False
    return True


def connector_names(everything: Mapping[str, str]) -> frozenset[str]:
    """Return the variables from which connectors take their credentials, as their file names them."""
    file = everything.get("TRIAGE_CONNECTORS", "")
    if not file:
        return frozenset()
    try:
        declared = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
        connectors = declared["connectors"].values()
        return frozenset(
            str(value) for one in connectors for key, value in one.items() if str(key).endswith("_env")
        )
    except (OSError, yaml.YAMLError, AttributeError, KeyError, TypeError) as error:
        raise CannotStart(f"TRIAGE_CONNECTORS={file} cannot be read: {error}") from None


def reader_dsn(admin: str, password: str) -> str:
    """Return the address of the shop's reader on the server of `admin`."""
    parts = conninfo_to_dict(admin)
    host, port = str(parts.get("host") or "localhost"), str(parts.get("port") or "5432")
    return f"postgresql://shop_reader:{password}@{host.replace('/', '%2F')}:{port}/shop"


def reset(folder: Path, environment: Mapping[str, str]) -> None:
    """Delete all local data. Raises CannotStart when it belongs to somebody else."""
    supervisor.clean_up(folder)
    apart = unprivileged.elsewhere(folder / "postgres")
    for path in (*folder.iterdir(), apart):
        if path.name in ("launcher.lock", "install.lock") or not path.exists():
            continue
        try:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        except OSError as error:
            raise CannotStart(
                f"{path} cannot be deleted ({error.strerror}): reset as the account that made it."
            ) from error
    print("  Local data deleted; the next `make demo` begins anew.")
    if environment.get("DATABASE_URL"):
        print("  DATABASE_URL names your own server: nothing was deleted there.")


def main() -> None:
    """`python -m triage.local.launch demo|run|reset`."""
    mode = sys.argv[1] if len(sys.argv) == 2 else ""
    if mode not in ("demo", "run", "reset"):
        raise SystemExit("Use: make demo, make run or make demo-reset.")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    folder = ROOT / ".local"
    try:
        with Claim(folder) as claim:
            if mode == "reset":
                reset(folder, os.environ)
                raise SystemExit(0)
            raise SystemExit(Launcher(folder, claim, dict(os.environ)).run(mode))
    except CannotStart as refusal:
        print(f"\nassay: {refusal}", file=sys.stderr)
        raise SystemExit(2) from None
    except Stopped:
        print("Stopped.", flush=True)
        raise SystemExit(0) from None


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise Stopped


def _say(sentence: str) -> None:
    print(sentence, flush=True)


def _end_quietly(keeper: Supervisor, servers: Servers) -> None:
    """Stop children, then servers; a further Ctrl-C ends the patience, not the clean-up."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print("\nStopping …", flush=True)
    keeper.stop()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(Exception):
        servers.close()
    keeper.forget()
    (keeper.folder / "environment.json").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
