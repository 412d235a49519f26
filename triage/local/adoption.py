"""Lets `manage.py` beside a running `make demo` use that start's servers."""

import json
import os
import sys
from pathlib import Path


def adopt(root: Path) -> None:
    """Take the running launcher's variables where DATABASE_URL names no server; say so on stderr."""
    if os.environ.get("DATABASE_URL"):
        return
    try:
        folder = Path(os.environ.get("LOCAL_FOLDER") or root / ".local")
        variables = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    for name, value in variables.items():
        os.environ.setdefault(name, value)
    os.environ.pop("DATABASE_POOL", None)  # a command would wait for the pool
    print("(using the servers of the running make)", file=sys.stderr)
