"""A YAML file as plain data that remembers the line of each of its parts."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

PathParts = tuple[str | int, ...]
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


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

    def _filled(self) -> None:
        if self.data is None and self.path:
            raise self.error(
                f"{self.name} is missing, or nothing stands behind it", f"Add `{self.path[-1]}:`."
            )

    def mapping(self, known: frozenset[str], needed: frozenset[str] = frozenset()) -> Mapping[str, Any]:
        """Return this part as a mapping; raise DefinitionError for another type or wrong keys."""
        self._filled()
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
        self._filled()
        if not isinstance(self.data, str) or not self.data.strip():
            raise self.error(f"{self.name} is not a text", "Write a text that is not empty.")
        return self.data.strip()

    def variable(self) -> str:
        """Return this part as the name of an environment variable; raise DefinitionError without its text.

        What stands there by mistake is often the secret itself.
        """
        name = self.text()
        if not _VARIABLE.fullmatch(name):
            cure = "Write the name of a variable, and put the value into the environment."
            raise self.error(f"{self.name} is not the name of a variable", cure)
        return name

    def items(self) -> list["Place"]:
        """Return the parts of this list; raise DefinitionError where it is none or empty."""
        self._filled()
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
    node: yaml.Node | None = None
    try:
        node = loader.get_single_node()
        lines: dict[PathParts, int] = {}
        if node is not None:
            _note_lines(file, node, (), lines)
        data = loader.construct_document(node) if node is not None else None
    except yaml.YAMLError as error:
        raise _not_yaml(file, error) from None
    except DefinitionError:
        raise
    except (ValueError, OverflowError) as error:  # a date that no calendar has
        raise DefinitionError(
            file, _unreadable(node), f"cannot be read: {error}", "Put it in quotes."
        ) from None
    finally:
        loader.dispose()
    return Place(file, data, (), lines)


def _not_yaml(file: Path, error: yaml.YAMLError) -> DefinitionError:
    mark, begun = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or "cannot be parsed"
    if begun and mark and begun.line != mark.line:  # a quote that never ends is seen at the end of the file
        problem += f" ({getattr(error, 'context', '')} that begins in line {begun.line + 1})"
    return DefinitionError(file, mark.line + 1 if mark else 1, f"is not YAML: {problem}", "Correct the line.")


def _unreadable(node: yaml.Node | None) -> int:
    """Return the line of the first value that cannot be read."""
    for scalar in _scalars(node):
        try:
            yaml.SafeLoader("").construct_document(scalar)
        except (ValueError, OverflowError):
            return int(scalar.start_mark.line) + 1
    return 1


def _scalars(node: Any) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif isinstance(node, yaml.SequenceNode):
        for part in node.value:
            yield from _scalars(part)
    elif isinstance(node, yaml.MappingNode):
        for pair in node.value:
            yield from _scalars(pair[0])
            yield from _scalars(pair[1])


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
