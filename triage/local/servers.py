"""The servers of a start: those that the environment names, else embedded ones that are kept running."""

from collections.abc import Callable, Mapping
from pathlib import Path

import psycopg

from triage.local import roles
from triage.local.postgres import PostgresServer
from triage.local.refusals import CannotStart
from triage.local.valkey import ValkeyServer

DATABASE = "assay"


class Servers:
    """PostgreSQL and Valkey. `variables` is how the application's processes reach them."""

    def __init__(self, folder: Path, passwords: Mapping[str, str], environment: Mapping[str, str]) -> None:
        if environment.get("DATABASE_OWNER_URL") and not environment.get("DATABASE_URL"):
            raise CannotStart(
                "DATABASE_OWNER_URL is set and DATABASE_URL is not: set both to use your own PostgreSQL, "
                "or neither for the embedded one."
            )
        self._passwords = passwords
        self.postgres: PostgresServer | None = None
        self.valkey: ValkeyServer | None = None
        self.variables: dict[str, str] = {}
        if not environment.get("DATABASE_URL"):
            self.postgres = PostgresServer(folder / "postgres", password=passwords["superuser"])
        if not environment.get("REDIS_URL"):
            self.valkey = ValkeyServer(folder / "valkey")

    def start(self) -> None:
        """Start what is ours and make the roles; raises CannotStart."""
        if self.valkey is not None:
            self.valkey.start()
            self.variables["REDIS_URL"] = self.valkey.url()
        if self.postgres is None:
            return
        self.postgres.start()
        try:
            roles.set_up(
                self.postgres.dsn("postgres"),
                DATABASE,
                passwords={roles.OWNER: self._passwords["owner"], roles.APP: self._passwords["app"]},
            )
        except psycopg.OperationalError as error:
            raise CannotStart(
                f"The embedded PostgreSQL refuses our password ({str(error).strip()}): "
                ".local/secrets.json and .local/postgres are not of one start. `make demo-reset` begins anew."
            ) from error
        self.variables["DATABASE_URL"] = self.postgres.dsn(DATABASE, roles.APP, self._passwords["app"])
        self.variables["DATABASE_OWNER_URL"] = self.postgres.dsn(
            DATABASE, roles.OWNER, self._passwords["owner"]
        )

    def pids(self) -> dict[str, int]:
        """Return the processes of ours, for the clean-up of a later start."""
        running = {"postgres": self.postgres, "valkey": self.valkey}
        return {
            name: server.process.pid
            for name, server in running.items()
            if server is not None and server.process is not None
        }

    def tend(self, say: Callable[[str], None]) -> bool:
        """Start again what died; return whether something had. Raises CannotStart when it can't."""
        restarted = False
        for name, server in (("PostgreSQL", self.postgres), ("Valkey", self.valkey)):
            if server is not None and server.process is not None and server.process.poll() is not None:
                say(f"  {name} ended with code {server.process.returncode}; starting it again.")
                server.start()
                restarted = True
        return restarted

    def close(self) -> None:
        """Stop what is ours."""
        if self.valkey is not None:
            self.valkey.close()
        if self.postgres is not None:
            self.postgres.close()
