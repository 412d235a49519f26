"""All checks of `make lint`, each run to its end, so that one look shows everything to fix."""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CHECKS: dict[str, tuple[str, ...]] = {
    "ruff": ("-m", "ruff", "check", "."),
    "format": ("-m", "ruff", "format", "--check", "."),
    "mypy": ("-m", "mypy", "."),
    "import directions": ("-c", "from importlinter.cli import lint_imports_command as run; run()"),
    "django": ("manage.py", "check", "--fail-level", "WARNING"),
    "migrations": ("manage.py", "makemigrations", "--check", "--dry-run"),
}


def main() -> None:
    """Print each check's name, what it complains of and its time; exit code 1 when one failed."""
    wanted = sys.argv[1:] or list(CHECKS)
    # No database is asked: an address that nobody answers keeps a check from reaching for one.
    environment = {
        **os.environ,
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
        "PYTHONWARNINGS": "ignore",
    }
    failed = []
    for name in wanted:
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, *CHECKS[name]],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        word = "ok" if done.returncode == 0 else "FAILED"
        print(f"{name:<20} {word:<7} {time.monotonic() - began:.1f} s", flush=True)
        if done.returncode != 0:
            failed.append(name)
            print(done.stdout + done.stderr, flush=True)
    raise SystemExit(f"Failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
