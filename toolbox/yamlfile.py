"""A YAML file as plain data that remembers the line of each of its parts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

PathParts = tuple[str | int, ...]


class DefinitionError(ValueError):
    """A tool or connector file cannot be used; the message names file, line and cure."""

    def __init__(self, file: object, line: int, problem: str, cure: str) -> None:
        super().__init__(f"{file}:{line}: {problem}. {cure}")
        self.file, self.line, self.problem, self.cure = str(file), line, problem, cure


@dataclass(frozen=True, slots=True)
class Place:
    """One part of a file: where errors about it point."""

    file: Path
    data: Any
    path: PathParts
    lines: Mapping[PathParts, int]

    @property
    def line(self) -> int:
        """The line of this part, or of the nearest part around it."""
        path = self.path
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path, 1)

    @property
    def name(self) -> str:
        """The dotted path of this part."""
        return ".".join(str(part) for part in self.path) or "the file"

    def error(self, problem: str, cure: str) -> DefinitionError:
        """Return the error that names this part's file and line."""
        return DefinitionError(self.file, self.line, problem, cure)

    def at(self, key: str | int) -> "Place":
        """Return the part below; its data is None where the file has nothing."""
        found: Any = None
        if isinstance(self.data, Mapping):
            found = self.data.get(key)
        elif isinstance(self.data, list) and isinstance(key, int):
            found = self.data[key]
        return Place(self.file, found, (*self.path, key), self.lines)

    def mapping(self, known: frozenset[str], needed: frozenset[str] = frozenset()) -> Mapping[str, Any]:
        """Return this part as a mapping; raise DefinitionError for another type or wrong keys."""
        if not isinstance(self.data, Mapping):
            raise self.error(f"{self.name} is not a mapping", f"Give it the keys {', '.join(sorted(known))}.")
        for key in self.data:
            if key not in known:
                cure = f"Use only {', '.join(sorted(known))}."
                raise self.at(key).error(f"{self.name} has the unknown key {key!r}", cure)
        for key in sorted(needed - set(self.data)):
            raise self.error(f"{self.name} lacks {key}", f"Add `{key}:`.")
        return self.data

    def text(self) -> str:
        """Return this part as text that is not empty; raise DefinitionError otherwise."""
        if not isinstance(self.data, str) or not self.data.strip():
            raise self.error(f"{self.name} is not a text", "Write a text that is not empty.")
        return self.data.strip()

    def items(self) -> list["Place"]:
        """Return the parts of this list; raise DefinitionError where it is none or empty."""
        if not isinstance(self.data, list) or not self.data:
            raise self.error(f"{self.name} is not a list with something in it", "Begin each part with `- `.")
        return [self.at(index) for index in range(len(self.data))]


def read(file: Path) -> Place:
    """Read one YAML file; raise DefinitionError where it cannot be read or repeats a key."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(
            file, 1, f"cannot be read ({type(error).__name__})", "Check path and encoding."
        ) from None
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        lines: dict[PathParts, int] = {}
        if node is not None:
            _note_lines(file, node, (), lines)
        data = loader.construct_document(node) if node is not None else None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or "cannot be parsed"
        raise DefinitionError(file, line, f"is not YAML: {problem}", "Correct the line.") from None
    finally:
        loader.dispose()
    return Place(file, data, (), lines)


def _note_lines(file: Path, node: yaml.Node, path: PathParts, lines: dict[PathParts, int]) -> None:
    lines[path] = node.start_mark.line + 1
    if len(path) > 40:
        raise DefinitionError(
            file, lines[path], "is nested too deeply", "Write it flatter; anchors must not loop."
        )
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _note_lines(file, item, (*path, index), lines)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                raise DefinitionError(file, key.start_mark.line + 1, f"{name!r} is given twice", "Keep one.")
            seen.add(name)
            _note_lines(file, value, (*path, name), lines)
            lines[(*path, name)] = key.start_mark.line + 1
