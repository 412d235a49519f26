"""All checks of `make lint`, two at a time and each run to its end: one look shows everything to fix."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# The one that takes longest is begun first: the others are over before it.
CHECKS: dict[str, tuple[str, ...]] = {
    "mypy": ("-m", "mypy", "."),
    "ruff": ("-m", "ruff", "check", "."),
    "format": ("-m", "ruff", "format", "--check", "."),
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
    with ThreadPoolExecutor(2) as two:
        for run in as_completed([two.submit(_run, name, environment) for name in wanted]):
            name, seconds, complaint = run.result()
            print(f"{name:<20} {'FAILED' if complaint is not None else 'ok':<7} {seconds:.1f} s", flush=True)
            if complaint is not None:
                failed.append(name)
                print(complaint, flush=True)
    raise SystemExit(f"Failed: {', '.join(failed)}" if failed else 0)


def _run(name: str, environment: Mapping[str, str]) -> tuple[str, float, str | None]:
    """Run one check; return its name, its seconds and what it complains of, None where it is content."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, *CHECKS[name]],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    complaint = done.stdout + done.stderr if done.returncode else None
    return name, time.monotonic() - began, complaint


if __name__ == "__main__":
    main()
