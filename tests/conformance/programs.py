"""Where the outside programs are, and running them."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent.parent / ".local" / "mcp"
_MODULES = FOLDER / "node_modules"
_NODE = _MODULES / "node" / "bin" / "node"
_SUITE = _MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
_STAMP = re.compile(r"-\d{4}-\d\d-\d\dT.*$")
_INSPECTOR = _MODULES / ".bin" / "mcp-inspector"


def is_installed() -> bool:
    """Whether all three are there, in the versions that package.json names."""
    if not (_NODE.exists() and _SUITE.exists() and _INSPECTOR.exists()):
        return False
    wanted = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["dependencies"]
    return all(_version(name) == version for name, version in wanted.items())


def run_suite(url: str, revision: str, results: Path) -> Mapping[str, frozenset[str]]:
    """Run all scenarios that a revision requires; return each scenario's checks that did not succeed."""
    subprocess.run(
        [_NODE, _SUITE, "server", "--url", url, "--requirements", revision, "--output-dir", results],
        env=_environment(),
        cwd=FOLDER,
        capture_output=True,
        timeout=240,
        check=False,
    )
    found: dict[str, frozenset[str]] = {}
    for file in sorted(results.rglob("checks.json")):
        checks: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        scenario = _STAMP.sub("", file.parent.name.removeprefix("server-"))
        found[scenario] = frozenset(each["id"] for each in checks if each["status"] in ("FAILURE", "WARNING"))
    return found


def inspect(url: str, *arguments: str, token: str = "") -> "subprocess.CompletedProcess[str]":
    """Run the Inspector's command line against the server."""
    headers = ("--header", f"Authorization: Bearer {token}") if token else ()
    return subprocess.run(
        [_NODE, _INSPECTOR, "--cli", url, "--transport", "http", *headers, *arguments],
        env=_environment(),
        cwd=FOLDER,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{_NODE.parent}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}


def _version(name: str) -> str:
    package = json.loads((_MODULES / name / "package.json").read_text(encoding="utf-8"))
    return str(package["version"])
