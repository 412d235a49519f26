"""Run every benchmark, one after the other; exit 1 when a goal is missed. `make bench`."""

import subprocess
import sys
from pathlib import Path

_FIRST = (
    "webhook_accept", "delivery_to_draft", "replay_verdicts", "replay_files", "backtest", "gateway_call",
    "audit_append", "queue_pages", "mcp_call", "agent_step", "evaluate",
)  # fmt: skip


def main() -> int:
    """Run each in a process of its own, so that none finds what another left."""
    here = Path(__file__).parent
    known = [name for name in _FIRST if (here / f"{name}.py").exists()]
    wanted = sys.argv[1:] or known
    missed = []
    for name in wanted:
        print(f"\n{name}", flush=True)
        done = subprocess.run(
            [sys.executable, "-m", f"benchmarks.{name}"], cwd=here.parent, stdout=subprocess.PIPE, text=True,
            check=False,
        )  # fmt: skip
        print(done.stdout, end="", flush=True)
        if done.returncode or "NOT MET" in done.stdout:
            missed.append(name)
    print(f"\nMissed or failed: {', '.join(missed)}" if missed else "\nAll goals met.")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
