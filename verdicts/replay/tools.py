"""The forms of tools as plain JSON, so that a rule can be judged by where no toolbox is installed."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay_core import strictjson
from assay_core.arguments import OPERATIONS, ToolShape
from assay_core.canonical import canonical
from verdicts import plain
from verdicts.demand import same
from verdicts.frozen import Frozen
from verdicts.plain import CaseUnreadable
from verdicts.rulebook import Rulebook

FILE = "tools.json"
VERSION = 1
_SHAPE = frozenset({"digest", "defaults", "normalise"})
_last_read: dict[str, tuple[Any, ToolShape]] = {}
_OPERATIONS = {name: name for name in OPERATIONS}


def tools_of(frozen: Frozen, rulebook: Rulebook) -> dict[str, ToolShape]:
    """Return the shapes that a case needs to be judged elsewhere: of its rule's tools and of those asked."""
    rule = rulebook.rules.get(frozen.case.submission.hypothesis)
    names = {entry.tool for entry in frozen.entries.values()} | set(rule.tools if rule else ())
    return {name: rulebook.shapes[name] for name in sorted(names) if name in rulebook.shapes}


def tool_to_plain(shape: ToolShape) -> dict[str, Any]:
    """Return the JSON form of a tool's shape; its name is the key that it stands under."""
    return {
        "digest": shape.digest,
        "defaults": dict(shape.defaults),
        "normalise": {name: list(operations) for name, operations in shape.normalise.items()},
    }


def tool_from_plain(name: str, value: Any, path: str) -> ToolShape:
    """Read the JSON form; raise CaseUnreadable naming the path.

    The shape last read under a name is kept: thousands of replays carry the same few.
    """
    known = _last_read.get(name)
    if known is not None and known[0] == value and same(known[0]["defaults"], value["defaults"]):
        return known[1]
    raw = plain.record(value, path, _SHAPE)
    normalise = plain.mapping(raw["normalise"], path, "normalise")
    shape = ToolShape(
        name=name,
        digest=plain.text(raw["digest"], path, "digest"),
        defaults=plain.mapping(raw["defaults"], path, "defaults"),
        normalise={
            argument: plain.several(operations, f"{path}.normalise.{argument}", _operation)
            for argument, operations in normalise.items()
        },
    )
    _last_read[name] = value, shape
    return shape


def write_tools(path: Path, shapes: Mapping[str, ToolShape]) -> None:
    """Write the shapes of tools as one file."""
    tools = {name: tool_to_plain(shape) for name, shape in shapes.items()}
    path.write_text(f"{canonical({'v': VERSION, 'tools': tools})}\n", encoding="ascii")


def read_tools(path: Path) -> dict[str, ToolShape]:
    """Read such a file; raise CaseUnreadable that says what is wrong where."""
    try:
        value = json.loads(path.read_bytes(), object_pairs_hook=strictjson.without_doubles)
    except (OSError, ValueError, RecursionError) as error:
        raise CaseUnreadable(str(path), f"can't be read: {error}") from error
    whole = plain.record(value, str(path), frozenset({"v", "tools"}))
    if whole["v"] != VERSION:
        raise CaseUnreadable(f"{path}: v", f"is {whole['v']!r}, and this version reads {VERSION}")
    tools = plain.mapping(whole["tools"], f"{path}: tools")
    return {name: tool_from_plain(name, each, f"{path}: tools.{name}") for name, each in tools.items()}


def _operation(value: Any, path: str) -> str:
    return plain.one_of(value, path, _OPERATIONS)
