"""Processes: started so that they die with us, recognised again by their birth, ended for sure."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

_PR_SET_PDEATHSIG = 1


def dies_with_parent(number: signal.Signals) -> Callable[[], None]:
    """Return a preexec_fn: the kernel sends this signal when the launcher dies, by kill -9 too (Linux)."""
    prctl = _prctl()
    parent = os.getpid()

    def ask_the_kernel() -> None:
        if prctl is not None:
            prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
            if os.getppid() != parent:  # it died between fork and prctl
                os._exit(1)

    return ask_the_kernel


def end_with_parent(number: signal.Signals) -> None:
    """Ask for this signal to ourselves when our parent dies (Linux)."""
    if (prctl := _prctl()) is not None:
        prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)


def _prctl() -> Callable[..., int] | None:
    return ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None


def birth(pid: int) -> str:
    """Return what tells this process from a later one with its number; empty where there is none alive."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "" if Path("/proc/self/stat").exists() else _birth_by_ps(pid)
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]


def command_line(pid: int) -> str:
    """Return the arguments of a process joined by spaces; empty where it is not to be seen."""
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return _ps(pid, "command=") if not Path("/proc/self/stat").exists() else ""
    return raw.replace(b"\0", b" ").decode("utf-8", "replace").strip()


def end(pid: int, *, gently: signal.Signals, seconds: float, whole_group: bool = False) -> None:
    """Send the gentle signal, wait, then kill. A process that is gone already is no error."""
    born = birth(pid)
    send = os.killpg if whole_group else os.kill
    for number, patience in ((gently, seconds), (signal.SIGKILL, 5.0)):
        if not born or birth(pid) != born:
            return
        try:
            send(pid, number)
        except ProcessLookupError:
            return
        _wait_until(lambda: birth(pid) != born, patience)


def _wait_until(is_so: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if is_so():
            return True
        time.sleep(0.02)
    return False


def _birth_by_ps(pid: int) -> str:
    return _ps(pid, "lstart=")


def _ps(pid: int, column: str) -> str:
    try:
        answer = subprocess.run(
            ["ps", "-p", str(pid), "-o", column], capture_output=True, text=True, check=False, timeout=5
        )
    except OSError:
        return ""
    return answer.stdout.strip()
