"""Where each example agent is, and the virtual environment of its own that it runs in."""

import hashlib
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = _ROOT / "examples" / "agents"
FOLDER = _ROOT / ".local" / "agents"
NAMES = tuple(sorted(each.parent.name for each in EXAMPLES.glob("*/agent.py")))


def program(name: str) -> Path:
    """Return the agent's program."""
    return EXAMPLES / name / "agent.py"


def lock(name: str) -> Path:
    """Return the file of its locked packages."""
    return EXAMPLES / name / "requirements.txt"


def python(name: str) -> Path:
    """Return the interpreter of its environment, there or not."""
    return FOLDER / name / "bin" / "python"


def stamp(name: str) -> Path:
    """Return the file that says which lock was installed."""
    return FOLDER / name / "installed"


def digest(name: str) -> str:
    """Return the digest of its lock."""
    return hashlib.sha256(lock(name).read_bytes()).hexdigest()


def is_installed(name: str) -> bool:
    """Whether its environment holds what its lock names."""
    return (
        python(name).exists()
        and stamp(name).exists()
        and stamp(name).read_text(encoding="utf-8") == digest(name)
    )
