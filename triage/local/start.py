"""One start: servers, preparation, the application's processes, what is shown; kept running until stopped."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from psycopg.conninfo import conninfo_to_dict

from triage.local import children, passwords, ports, signing, supervisor
from triage.local.claim import Claim
from triage.local.prepare import Preparation
from triage.local.progress import Step
from triage.local.refusals import CannotStart
from triage.local.servers import Servers
from triage.local.supervisor import Supervisor
from triage.local.world import World, admin_dsn

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(slots=True)
class Start:
    """What one start holds. `close` ends all of it."""

    mode: str
    claim: Claim
    environment: Mapping[str, str]
    secrets: Mapping[str, str]
    port: int
    servers: Servers
    keeper: Supervisor

    @classmethod
    def begin(cls, mode: str, claim: Claim, environment: Mapping[str, str]) -> "Start":
        """Clean up after an earlier start and choose the port; nothing runs yet. Raises CannotStart."""
        for name in supervisor.clean_up(claim.folder):
            say(f"  Ended {name}, which an earlier start had left running.")
        secrets = passwords.keep(claim.folder / "secrets.json")
        port = ports.choose(environment)
        servers = Servers(claim.folder, secrets, environment)
        return cls(mode, claim, environment, secrets, port, servers, Supervisor(ROOT, claim.folder))

    @property
    def with_shop(self) -> bool:
        """Whether the example shop is asked: always in the demo, else unless other tools are named."""
        return self.mode == "demo" or not self.environment.get("TRIAGE_TOOLS")

    @property
    def address(self) -> str:
        """What to open. A name, as passkeys need one."""
        return f"http://localhost:{self.port}"

    def run(self) -> int:
        """Start everything and stay until stopped; return the exit code where it ends by itself."""
        step = Step("Starting PostgreSQL and Valkey")
        self.servers.start()
        step.done()
        self._note_servers()
        variables = self._variables()
        Preparation(ROOT, self.claim.folder, self.servers, self.keeper).run(
            variables, passwords=self.secrets, with_world=self.with_shop
        )
        self._start_application(variables)
        self.claim.tell(self.address)
        code = self._present(variables) if self.with_shop else self._greet()
        if self.environment.get("DEMO_ONCE") == "1":
            return code
        say("\nCtrl-C stops everything.")
        while True:
            self._tend()
            time.sleep(0.3)

    def close(self) -> None:
        """Stop the children, then the servers."""
        self.keeper.stop()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the rest is short, and must not be cut in two
        self.servers.close()
        self.keeper.forget()
        (self.claim.folder / "environment.json").unlink(missing_ok=True)

    def _variables(self) -> dict[str, str]:
        found = {
            **self.environment,
            **self.servers.variables,
            "SECRET_KEY": self.environment.get("SECRET_KEY") or self.secrets["secret_key"],
            "BASE_URL": self.environment.get("BASE_URL") or self.address,
            "DATABASE_POOL": self.environment.get("DATABASE_POOL") or "1",
            "NOTICE_KEY": self.environment.get("NOTICE_KEY") or f"notices {self.secrets['secret_key']}",
            "HOOK_KEY": self.environment.get("HOOK_KEY") or f"hooks {self.secrets['secret_key']}",
            "DEMO_SECRET": self.secrets["demo"],
            "PYTHONUNBUFFERED": "1",
        }
        if not found.get("AUDIT_SIGNING_KEY"):
            found |= signing.variables(self.claim.folder)
        if self.with_shop:
            admin = admin_dsn(self.servers.postgres, self.environment)
            found |= World(self.claim.folder).variables(
                ROOT,
                reader_dsn(admin, self.secrets["shop_reader"]),
                reader_dsn(admin, passwords.shop_writer(self.secrets), role="shop_writer"),
            )
        return found

    def _start_application(self, variables: Mapping[str, str]) -> None:
        names = connector_names(variables)
        host = self.environment.get("HOST_ADDRESS", "127.0.0.1")
        for child in children.application(
            variables, connector_names=names, address=(host, self.port), folder=self.claim.folder
        ):
            self.keeper.start(child)
        command = children.environment_of("command", variables, connector_names=names)
        file = self.claim.folder / "environment.json"
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            json.dump(command, out)

    def _present(self, variables: Mapping[str, str]) -> int:
        """Run the demo command in the terminal, tending the rest meanwhile; return its exit code."""
        arguments = ["manage.py", "demo", "--address", self.address]
        arguments += ["--now", World(self.claim.folder).now.isoformat()]
        if self.mode == "run":
            arguments.append("--no-deliveries")
        seen = children.environment_of("demo", variables, connector_names=frozenset())
        process = subprocess.Popen(
            [sys.executable, *arguments], cwd=ROOT, env={**seen, "DATABASE_POOL": "0"}, start_new_session=True
        )
        try:
            while process.poll() is None:
                self._tend()
                time.sleep(0.1)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
        return process.returncode

    def _greet(self) -> int:
        say(f"\nOpen {self.address}. The first account: make manage do=createsuperuser")
        return 0

    def _tend(self) -> None:
        if self.servers.tend(say):
            self._note_servers()
        self.keeper.tend()

    def _note_servers(self) -> None:
        for name, pid in self.servers.pids().items():
            self.keeper.note_server(name, pid)


def say(sentence: str) -> None:
    """Print at once."""
    print(sentence, flush=True)


def connector_names(variables: Mapping[str, str]) -> frozenset[str]:
    """Return the variables from which connectors take their credentials, as their file names them."""
    file = variables.get("TRIAGE_CONNECTORS", "")
    if not file:
        return frozenset()
    try:
        declared = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
        connectors = declared["connectors"].values()
        return frozenset(name for one in connectors for name in _named(one))
    except (OSError, yaml.YAMLError, AttributeError, KeyError, TypeError) as error:
        raise CannotStart(f"TRIAGE_CONNECTORS={file} cannot be read: {error}") from None


def _named(part: Any) -> Iterator[str]:
    """Return the variables that stand under keys ending in `_env`, however deep."""
    for key, value in part.items():
        if isinstance(value, dict):
            yield from _named(value)
        elif str(key).endswith("_env"):
            yield from map(str, value if isinstance(value, list) else [value])


def reader_dsn(admin: str, password: str, *, role: str = "shop_reader") -> str:
    """Return the address of the shop's reader, or of another role of it, on the server of `admin`."""
    parts = conninfo_to_dict(admin)
    host, port = str(parts.get("host") or "localhost"), str(parts.get("port") or "5432")
    return f"postgresql://{role}:{password}@{host.replace('/', '%2F')}:{port}/shop"
