"""From a bare Python to an installed `.venv`, then on to what was asked for.

Run by path before anything is installed, so that it imports the standard library alone.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOCKS = {"runtime": "requirements.txt", "development": "requirements-dev.txt"}
_NO_COMPILER = (
    "A package has no ready build for this Python and machine, and it did not compile: install a compiler "
    "(Debian: apt install build-essential python3-dev), or use Python 3.11, 3.12 or 3.13."
)
_NOT_REACHED = (
    "The registry cannot be reached: check the network and `pip config list`, or set PIP_INDEX_URL."
)
_PIP_CURES = {
    "No space left on device": "The disk is full: free about 500 MB, then start again.",
    "error: command": _NO_COMPILER,
    "Failed building wheel": _NO_COMPILER,
    "do not match the hashes": "The registry served another file than the locked: check `pip config list`.",
    "Temporary failure in name resolution": _NOT_REACHED,
    "Connection refused": _NOT_REACHED,
    "No matching distribution found": (
        "The registry lacks a locked version for this Python and machine: check `pip config list`; "
        "Python 3.11 to 3.13 on Linux or macOS are served."
    ),
    "Permission denied": f"{VENV} belongs to somebody else: delete it, or run as its owner.",
}


def main() -> None:
    """Install what is missing, then become the program that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--with", dest="kind", choices=sorted(LOCKS), default="runtime")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="what follows `python`")
    options = parser.parse_args()
    _require_python()
    with _only_one():
        _make_venv()
        _install(options.kind)
    program = (
        [word for word in options.program if word != "--"]
        if options.program[:1] == ["--"]
        else options.program
    )
    if program:
        # What is started here starts many processes: each would compile all that is ours anew.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.execv(str(PYTHON), [str(PYTHON), *program])


def refuse(sentence: str) -> NoReturn:
    """Say what is in the way and what to do, then end."""
    print(f"\nassay: {sentence}", file=sys.stderr)
    raise SystemExit(2)


def _require_python() -> None:
    if sys.version_info < (3, 11):  # noqa: UP036 this file alone runs under whatever Python is there
        refuse(
            f"This is Python {sys.version_info[0]}.{sys.version_info[1]}, and 3.11 or later is needed: "
            "install it, then `make demo PYTHON=python3.11`."
        )
    try:
        import ensurepip
        import venv  # noqa: F401 asked for its presence alone
    except ImportError:
        refuse(
            "Python's venv module is missing: install it (Debian and Ubuntu: apt install python3-venv), "
            "then start again."
        )
    del ensurepip


class _only_one:
    """A lock, so that two makes on a fresh clone do not install into one another."""

    def __enter__(self) -> None:
        import fcntl

        try:
            (ROOT / ".local").mkdir(mode=0o711, exist_ok=True)
            self._file = (ROOT / ".local" / "install.lock").open("w", encoding="utf-8")
        except OSError as error:
            refuse(
                f"{ROOT / '.local'} cannot be written ({error.strerror}): run as the owner of this folder, "
                "or clone to one of your own."
            )
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("Another make is installing here; waiting for it …", flush=True)
            fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _make_venv() -> None:
    if PYTHON.exists() and _runs():
        return
    if VENV.exists():  # half-made, moved, or its Python was upgraded away
        shutil.rmtree(VENV, ignore_errors=True)
        if VENV.exists():
            refuse(f"{VENV} does not work and belongs to somebody else: delete it, then start again.")
    said = _run("Making .venv", [sys.executable, "-m", "venv", str(VENV)])
    if said is not None:
        refuse(
            f"`{sys.executable} -m venv` failed. Debian and Ubuntu need: apt install python3-venv. "
            f"It said:\n{_tail(said)}"
        )


def _runs() -> bool:
    try:
        return (
            subprocess.run([str(PYTHON), "-c", "import pip"], capture_output=True, check=False).returncode
            == 0
        )
    except OSError:
        return False


def _install(kind: str) -> None:
    lock = ROOT / LOCKS[kind]
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()
    stamp = VENV / f"installed-{kind}"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == digest:
        return
    count = sum("==" in line for line in lock.read_text(encoding="utf-8").splitlines())
    said = _run(
        f"Installing the {count} locked packages",
        [
            str(PYTHON), "-m", "pip", "install", "--require-hashes", "--disable-pip-version-check",
            "--no-input", "--no-warn-script-location", "--no-compile", "--root-user-action=ignore",
            "-r", str(lock),
        ],
    )  # fmt: skip
    if said is not None:
        for sign, sentence in _PIP_CURES.items():
            if sign in said:
                refuse(f"{sentence} pip said:\n{_tail(said)}")
        refuse(f"The locked packages could not be installed. pip said:\n{_tail(said)}")
    # pip would compile one file after the other. Whatever this leaves out is compiled when it is first used.
    _run("Compiling them", [str(PYTHON), "-m", "compileall", "-q", "-j", "0", str(VENV / "lib")])
    stamp.write_text(digest, encoding="utf-8")


def _run(title: str, command: "list[str]") -> "str | None":
    """Run with a line that grows; return None when it went well, else what it said."""
    log = ROOT / ".local" / "install.log"
    began = shown = time.monotonic()
    print(f"  {title} …", end="", flush=True)
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=str(ROOT), stdout=out, stderr=subprocess.STDOUT)
        while process.poll() is None:
            time.sleep(0.05)
            if time.monotonic() - shown >= 2:
                shown = time.monotonic()
                print(f" {shown - began:.0f} s", end="", flush=True)
    print(f" done in {time.monotonic() - began:.1f} s" if process.returncode == 0 else " failed", flush=True)
    return None if process.returncode == 0 else log.read_text(encoding="utf-8", errors="replace")


def _tail(said: str) -> str:
    return "\n".join(f"  | {line}" for line in said.strip().splitlines()[-8:])


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("\nassay: stopped while installing; `make demo` goes on from here.", file=sys.stderr)
        raise SystemExit(130) from None
