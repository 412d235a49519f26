"""What a person sees while they wait: one line for each step, growing each two seconds."""

import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from triage.local.refusals import because

_EVERY = 2.0


class Step:
    """One step: announced at once, ticking while it lasts, with its time at the end."""

    def __init__(self, title: str) -> None:
        self._began = self._shown = time.monotonic()
        print(f"  {title} …", end="", flush=True)

    def tick(self) -> None:
        """Show the seconds so far, at most each two."""
        now = time.monotonic()
        if now - self._shown >= _EVERY:
            self._shown = now
            print(f" {now - self._began:.0f} s", end="", flush=True)

    def done(self, word: str = "done") -> None:
        """End the line."""
        print(f" {word} in {time.monotonic() - self._began:.1f} s", flush=True)


def run_together(title: str, commands: Mapping[str, "subprocess.Popen[bytes]"], *, logs: Path) -> None:
    """Wait for programs started together; raise CannotStart with the last words of the first that failed."""
    step = Step(title)
    while any(process.poll() is None for process in commands.values()):
        step.tick()
        time.sleep(0.05)
    for name, process in commands.items():
        if process.returncode != 0:
            step.done("failed")
            said = (logs / f"{name}.log").read_text(encoding="utf-8", errors="replace")
            raise because(said, where=logs, otherwise=f"`{name}` ended with code {process.returncode}.")
    step.done()
