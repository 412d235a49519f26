"""`make demo`, `make run`, `make demo-reset`: what they do, and how they end."""

import os
import shutil
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import NoReturn

from triage.local import processes, supervisor, unprivileged
from triage.local.claim import Claim
from triage.local.refusals import CannotStart
from triage.local.start import ROOT, Start, say


class Stopped(BaseException):
    """Ctrl-C, or a request to end."""


def main() -> None:
    """Answer to `python -m triage.local.launch demo|run|reset`; every refusal is one sentence."""
    mode = sys.argv[1] if len(sys.argv) == 2 else ""
    if mode not in ("demo", "run", "reset"):
        raise SystemExit("Use: make demo, make run or make demo-reset.")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    if os.environ.get("MAKELEVEL"):
        processes.end_with_parent(signal.SIGTERM)
    try:
        with Claim(folder_of(os.environ)) as claim:
            raise SystemExit(_play(mode, claim))
    except CannotStart as refusal:
        print(f"\nassay: {refusal}", file=sys.stderr)
        raise SystemExit(2) from None
    except Stopped:
        say("Stopped.")
        raise SystemExit(0) from None


def _play(mode: str, claim: Claim) -> int:
    if mode == "reset":
        reset(claim.folder, os.environ)
        return 0
    start = Start.begin(mode, claim, dict(os.environ))
    try:
        return start.run()
    finally:
        _ignore_further_requests()
        say("\nStopping …")
        start.close()


def folder_of(environment: Mapping[str, str]) -> Path:
    """Return where all local data lives."""
    named = environment.get("LOCAL_FOLDER")
    return Path(named).resolve() if named else ROOT / ".local"


def reset(folder: Path, environment: Mapping[str, str]) -> None:
    """Delete all local data. Raises CannotStart when it belongs to somebody else."""
    supervisor.clean_up(folder)
    apart = unprivileged.elsewhere(folder / "postgres")
    for path in (*folder.iterdir(), apart):
        if path.name in ("launcher.lock", "install.lock") or not path.exists():
            continue
        try:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        except OSError as error:
            raise CannotStart(
                f"{path} cannot be deleted ({error.strerror}): reset as the account that made it."
            ) from error
    say("  Local data deleted; the next `make demo` begins anew.")
    if environment.get("DATABASE_URL"):
        say("  DATABASE_URL names your own server: nothing was deleted there.")


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise Stopped


def _ignore_further_requests() -> None:
    """Let a further Ctrl-C shorten the patience with the children (KeyboardInterrupt), nothing more."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.default_int_handler)


if __name__ == "__main__":
    main()
