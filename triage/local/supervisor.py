"""Keeps processes running: starts each in a group of its own, restarts a dead one, leaves none behind."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from triage.local import processes
from triage.local.children import Child

_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
_STEADY_AFTER = 30.0


@dataclass(slots=True)
class _Kept:
    child: Child
    process: "subprocess.Popen[bytes]"
    started_at: float
    pause: float = _FIRST_PAUSE
    restart_at: float | None = None


@dataclass(slots=True)
class Supervisor:
    """The running children. `folder` takes their logs, and the list by which a later start cleans up."""

    root: Path
    folder: Path
    say: Callable[[str], None] = print
    _kept: dict[str, _Kept] = field(default_factory=dict)
    _servers: dict[str, int] = field(default_factory=dict)
    _spawned: "list[subprocess.Popen[bytes]]" = field(default_factory=list)
    _is_unwritten: bool = False

    def start(self, child: Child) -> None:
        """Start a child; its output goes to its log."""
        self._kept[child.name] = _Kept(child, self.spawn(child), time.monotonic())
        self._write_down()

    def spawn(self, child: Child) -> "subprocess.Popen[bytes]":
        """Start a process that dies with the launcher, without keeping it running."""
        log_file = self.folder / f"{child.name}.log"
        with log_file.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *child.arguments],
                cwd=self.root,
                env=dict(child.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=processes.dies_with_parent(signal.SIGTERM),
            )
        self._spawned = [one for one in self._spawned if one.poll() is None] + [process]
        return process

    def note_server(self, name: str, pid: int) -> None:
        """Remember a server that is started elsewhere, for the clean-up of a later start."""
        self._servers[name] = pid
        self._write_down()

    def tend(self) -> None:
        """Restart what died, each time after a longer pause. To be called again and again."""
        now = time.monotonic()
        if self._is_unwritten:
            self._write_down()
        for kept in self._kept.values():
            if kept.restart_at is not None:
                if now >= kept.restart_at:
                    self._restart(kept)
            elif kept.process.poll() is not None:
                self._notice_death(kept, now)

    def is_running(self, name: str) -> bool:
        """Whether the child is alive at this moment."""
        return name in self._kept and self._kept[name].process.poll() is None

    def stop(self, *, patience: float = 10.0) -> None:
        """End all children together; by force after the patience. A second Ctrl-C ends the patience."""
        running = [one for one in self._spawned if one.poll() is None]
        for process in running:
            process.terminate()
        deadline = time.monotonic() + patience
        with contextlib.suppress(KeyboardInterrupt):
            while time.monotonic() < deadline and any(process.poll() is None for process in running):
                time.sleep(0.05)
        for process in running:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
        self._kept.clear()

    def forget(self) -> None:
        """Remove the list: everything has been stopped."""
        (self.folder / "processes.json").unlink(missing_ok=True)

    def _notice_death(self, kept: _Kept, now: float) -> None:
        if now - kept.started_at > _STEADY_AFTER:
            kept.pause = _FIRST_PAUSE
        kept.restart_at = now + kept.pause
        self.say(
            f"  {kept.child.name} ended with code {kept.process.returncode}; starting it again in "
            f"{kept.pause:.0f} s. Its log: {self.folder / kept.child.name}.log"
        )
        kept.pause = min(kept.pause * 2, _LONGEST_PAUSE)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(kept.process.pid, signal.SIGKILL)  # pool processes that outlived their worker

    def _restart(self, kept: _Kept) -> None:
        try:
            kept.process = self.spawn(kept.child)
        except OSError as error:  # no room for its log, or for one more process
            kept.restart_at = time.monotonic() + kept.pause
            self.say(f"  {kept.child.name} can't be started: {error.strerror}. Again in {kept.pause:.0f} s.")
            kept.pause = min(kept.pause * 2, _LONGEST_PAUSE)
            return
        kept.started_at, kept.restart_at = time.monotonic(), None
        self._write_down()

    def _write_down(self) -> None:
        """Note what runs. On a full disk all goes on under the older note, until there is room again."""
        pids = {**self._servers, **{name: kept.process.pid for name, kept in self._kept.items()}}
        listed = {name: {"pid": pid, "birth": processes.birth(pid)} for name, pid in pids.items()}
        half = self.folder / "processes.half-made"
        try:
            half.write_text(json.dumps(listed), encoding="utf-8")
            half.replace(self.folder / "processes.json")
        except OSError as error:
            if not self._is_unwritten:
                self.say(
                    f"  {self.folder} can't be written: {error.strerror}. What runs goes on; free some space."
                )
            self._is_unwritten = True
        else:
            self._is_unwritten = False


def clean_up(folder: Path) -> list[str]:
    """End what a killed launcher left running; return the names of what was found."""
    file = folder / "processes.json"
    try:
        listed = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    found = []
    for name, one in listed.items():
        pid, born = int(one["pid"]), str(one["birth"])
        gently = signal.SIGINT if name == "postgres" else signal.SIGTERM
        if born and processes.birth(pid) == born:
            found.append(name)
            processes.end(pid, gently=gently, seconds=15)
        if not processes.birth(pid):
            _end_orphans(pid)
    file.unlink(missing_ok=True)
    return found


def _end_orphans(group: int) -> None:
    """Kill the rest of a group whose leader is gone; while it lasts, its number goes to nobody else."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
