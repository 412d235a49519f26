"""The servers that a test session runs against: embedded ones, or those that the environment names."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Protocol

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from triage.local import roles
from triage.local.postgres import FOR_TESTS, PostgresServer
from triage.local.valkey import ValkeyServer

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = "assay_template"
IN_MEMORY = Path("/dev/shm")
ROOM_IN_MEMORY = 2 * 2**30
SMALL = {"max_wal_size": "256MB"}


class Postgres(Protocol):
    """A PostgreSQL server of a test session."""

    def dsn(self, dbname: str, user: str = "postgres") -> str: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...


class NamedPostgres:
    """The server that DATABASE_OWNER_URL or DATABASE_URL names. Its role has to be a superuser.

    Roles are taken by SET ROLE, so that no password of an existing role is touched.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        with psycopg.connect(url) as link:
            row = link.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()
        if row is None or not row[0]:
            raise RuntimeError(
                "The tests make databases and roles: point DATABASE_OWNER_URL (or DATABASE_URL) at a "
                "superuser of a server for tests, or unset both to use the embedded one."
            )

    def dsn(self, dbname: str, user: str = "postgres") -> str:
        """Return a URL for the same server; another user is taken by SET ROLE at connect."""
        parts = {key: str(value) for key, value in conninfo_to_dict(self._url).items() if value is not None}
        host, port = parts.get("host", "localhost"), parts.get("port", "5432")
        secret = f":{parts['password']}" if "password" in parts else ""
        role = "" if user == "postgres" else f"?options=-c%20role%3D{user}"
        return f"postgresql://{parts['user']}{secret}@{host}:{port}/{dbname}{role}"

    def start(self) -> None:
        """Somebody else runs it."""

    def stop(self) -> None:
        """Refuse: it is not ours."""
        raise RuntimeError("This test stops the server: it needs the embedded one. Unset DATABASE_URL.")


def made_folder() -> Path:
    """Make a folder for a server's data: in memory where there is room, as each clone writes many files.

    Otherwise below /tmp: pytest's own folders are private, and the account that PostgreSQL steps down to
    walks through.
    """
    has_room = os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free > ROOM_IN_MEMORY
    made = Path(tempfile.mkdtemp(prefix="assay-test-", dir=IN_MEMORY if has_room else "/tmp"))
    made.chmod(0o755)
    return made


class Servers:
    """PostgreSQL with a migrated template, and Valkey; started when first asked for."""

    def __init__(self) -> None:
        self._folder = made_folder()
        self._postgres: PostgresServer | NamedPostgres | None = None
        self._valkey: ValkeyServer | None = None
        self.database = f"assay_test_{os.getpid()}"

    @property
    def postgres(self) -> PostgresServer | NamedPostgres:
        """The server, with the template migrated as its owner."""
        if self._postgres is None:
            url = os.environ.get("DATABASE_OWNER_URL") or os.environ.get("DATABASE_URL")
            if url:
                self._postgres = NamedPostgres(url)
            else:
                self._postgres = PostgresServer(self._folder / "postgres", settings={**FOR_TESTS, **SMALL})
                self._postgres.start()
            self._make_template(self._postgres)
        return self._postgres

    @property
    def redis_url(self) -> str:
        """The broker's address."""
        if os.environ.get("REDIS_URL"):
            return os.environ["REDIS_URL"]
        return self.valkey.url()

    @property
    def valkey(self) -> ValkeyServer:
        """The embedded broker."""
        if self._valkey is None:
            self._valkey = ValkeyServer(self._folder / "valkey")
            self._valkey.start()
        return self._valkey

    def clone(self) -> None:
        """Make the test database anew from the template."""
        name = sql.Identifier(self.database)
        with psycopg.connect(self.postgres.dsn("postgres"), autocommit=True) as link:
            quicker = sql.SQL("STRATEGY FILE_COPY" if link.info.server_version >= 150000 else "")
            link.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))
            link.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {} {}").format(
                    name, sql.Identifier(TEMPLATE), sql.Identifier(roles.OWNER), quicker
                )
            )
            for grant in roles.grants_on_database(self.database):
                link.execute(grant.text)

    def environment(self) -> dict[str, str]:
        """Return the variables with which a process of its own reaches these servers."""
        return {
            **os.environ,
            "DATABASE_URL": self.postgres.dsn(self.database, roles.APP),
            "DATABASE_OWNER_URL": self.postgres.dsn(self.database, roles.OWNER),
            "REDIS_URL": self.redis_url,
            "CALLER_CALLS_A_MINUTE": "100000",
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "PYTHONPATH": str(ROOT),
        }

    def close(self) -> None:
        """Stop what was started here and remove its data."""
        if isinstance(self._postgres, PostgresServer):
            self._postgres.close()
        if self._valkey is not None:
            self._valkey.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _make_template(self, postgres: PostgresServer | NamedPostgres) -> None:
        with psycopg.connect(postgres.dsn("postgres"), autocommit=True) as link:
            link.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(TEMPLATE)))
        roles.set_up(postgres.dsn("postgres"), TEMPLATE)
        done = subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
            cwd=ROOT,
            env={
                **os.environ,
                "DATABASE_URL": postgres.dsn(TEMPLATE, roles.APP),
                "DATABASE_OWNER_URL": postgres.dsn(TEMPLATE, roles.OWNER),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"The template database could not be migrated:\n{done.stdout}{done.stderr}")
