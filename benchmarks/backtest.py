"""`manage.py backtest` over 100,000 stored incidents with 500,000 entries: its time and its memory.

Memory is the most that the command and its processes held together at any one look; what they share,
having begun as copies of one, is counted once (PSS). `python -m benchmarks.backtest 1000` runs fewer.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from django.db import connections

from benchmarks.figures import figure
from benchmarks.replay_verdicts import prepared
from benchmarks.stand import ROOT, Stand, standing, use_django
from benchmarks.stored_incidents import ENTRIES, patterns, write

INCIDENTS = 100_000
GOAL_SECONDS, GOAL_MEGABYTES = 60, 500


def main() -> None:
    """Print the figures; the number of incidents may be given."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else INCIDENTS
    with standing() as stand:
        measure(stand, count)


def measure(stand: Stand, count: int) -> str:
    """Fill the tables, run the command, print its time and memory; return what it printed."""
    use_django(stand.variables)
    bench = prepared()
    began = time.monotonic()
    write(stand.variables["DATABASE_OWNER_URL"], patterns(bench.examples, bench.rulebook), count)
    connections.close_all()
    figure(f"writing {count:,} incidents", time.monotonic() - began, "s")
    shop = ROOT / "examples" / "shop"
    stand.variables.update(
        TRIAGE_TOOLS=str(shop / "tools"),
        TRIAGE_CONNECTORS=str(shop / "connectors.yaml"),
        SHOP_READER_URL="postgres://nobody@127.0.0.1:1/none",
        SHOP_LOGS=str(stand.folder),
    )
    said, seconds, megabytes = run(stand)
    is_whole = count >= INCIDENTS
    print(said.splitlines()[-1])
    figure("entries judged again", count * ENTRIES, "")
    met = seconds < GOAL_SECONDS if is_whole else None
    figure("backtest, from start to end", seconds, "s", goal=f"under {GOAL_SECONDS} s", is_met=met)
    figure("incidents a second", count / seconds, "/s")
    met = megabytes < GOAL_MEGABYTES if is_whole else None
    figure("memory at its most", megabytes, "MB", goal=f"under {GOAL_MEGABYTES} MB", is_met=met)
    return said


def run(stand: Stand) -> tuple[str, float, float]:
    """Return what the command printed, its seconds and its megabytes."""
    out = Path(stand.folder) / "backtest.out"
    began = time.monotonic()
    most = 0
    with out.open("wb") as into:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "backtest"],
            cwd=ROOT,
            env={**os.environ, **stand.variables},
            stdout=into,
        )
        while process.poll() is None:
            most = max(most, held(process.pid))
            time.sleep(0.2)
    seconds = time.monotonic() - began
    if process.returncode:
        raise SystemExit(f"backtest ended with {process.returncode}: {out.read_text()[-2000:]}")
    return out.read_text(), seconds, most / 1_000_000


def held(pid: int) -> int:
    """Return the bytes that a process and its children hold, shared pages counted once."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has just ended
        return 0
    own = next(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))
    return own + sum(held(int(child)) for child in children)


if __name__ == "__main__":
    main()
