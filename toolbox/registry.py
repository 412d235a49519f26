"""The tools and connectors that are loaded, by name."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from assay_core.arguments import ToolShape
from toolbox import loading, remote, yamlfile
from toolbox.connectors import kinds as remote_kinds
from toolbox.connectors.base import Connector
from toolbox.connectors.jsonlines import JsonLinesConnector
from toolbox.connectors.mysql import MysqlConnector
from toolbox.connectors.postgres import PostgresConnector
from toolbox.definitions import ToolDefinition
from toolbox.yamlfile import DefinitionError, Place

_DATABASES: Mapping[str, type[PostgresConnector] | type[MysqlConnector]] = {
    "postgres": PostgresConnector,
    "mysql": MysqlConnector,
    "mariadb": MysqlConnector,
}


@dataclass(frozen=True, slots=True)
class Toolbox:
    """Every tool by name, and the connectors that answer them."""

    definitions: Mapping[str, ToolDefinition]
    connectors: Mapping[str, Connector]

    def shapes(self) -> Mapping[str, ToolShape]:
        """What a verdict must know of each tool."""
        return {name: definition.tool_shape for name, definition in self.definitions.items()}

    def inputs(self) -> Mapping[str, Mapping[str, Any]]:
        """The declared input of each tool."""
        return {name: definition.input for name, definition in self.definitions.items()}

    def close(self) -> None:
        """Give back every connection that is held open."""
        for connector in self.connectors.values():
            connector.close()


def load(tool_paths: Sequence[Path], connectors_path: Path | None) -> Toolbox:
    """Load connectors and tools; a path is a YAML file or a folder of them. Raises DefinitionError.

    With no paths at all the toolbox is empty, and every call is refused.
    """
    connectors = _connectors(connectors_path) if connectors_path else {}
    kinds = {name: connector.kind for name, connector in connectors.items()}
    definitions: dict[str, ToolDefinition] = {}
    homes: dict[str, Path] = {}
    for file in _files(tool_paths):
        for definition in loading.load_file(file, kinds):
            name = definition.name
            if name in definitions:
                raise _again(file, name, homes[name])
            definitions[name], homes[name] = definition, file
    return Toolbox(dict(sorted(definitions.items())), connectors)


@functools.cache
def current() -> Toolbox:
    """The toolbox of TRIAGE_TOOLS and TRIAGE_CONNECTORS, loaded once for each process.

    Raises DefinitionError. `current.cache_clear()` makes the next call load again.
    """
    path = settings.TRIAGE_CONNECTORS
    return load(settings.TRIAGE_TOOLS, Path(path) if path else None)


def _again(file: Path, name: str, other: Path) -> DefinitionError:
    """Return the error at the last declaration of a tool that an earlier one has, here or in another file."""
    named = [tool.at("name") for tool in yamlfile.read(file).at("tools").items()]
    found = [place for place in named if place.text() == name][-1]
    where = "" if other == file else f", the first time in {other}"
    return found.error(f"the tool {name} is declared twice{where}", "Rename one of them.")


def _files(paths: Sequence[Path]) -> list[Path]:
    files: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            files += sorted([*path.glob("*.yaml"), *path.glob("*.yml")])
        elif path.exists():
            files.append(path)
        else:
            raise DefinitionError(path, 1, "does not exist", "Correct the path in TRIAGE_TOOLS.")
    return files


def _connectors(file: Path) -> dict[str, Connector]:
    whole = yamlfile.read(file)
    whole.mapping(frozenset({"connectors"}), frozenset({"connectors"}))
    declared = whole.at("connectors")
    if not isinstance(declared.data, Mapping):
        raise declared.error("connectors is not a mapping", "Write `connectors: {NAME: {kind: ...}}`.")
    return {str(name): _connector(str(name), declared.at(name)) for name in declared.data}


def _connector(name: str, place: Place) -> Connector:
    kind = place.data.get("kind") if isinstance(place.data, Mapping) else None
    if isinstance(kind, str) and kind in _DATABASES:
        parts = place.mapping(
            frozenset({"kind", "title", "dsn_env", "connections"}), frozenset({"title", "dsn_env"})
        )
        size = remote.whole_number(place.at("connections"), 1, 64) if "connections" in parts else 4
        made = _DATABASES[kind]
        return made(name, place.at("title").text(), place.at("dsn_env").variable(), connections=size)
    if kind == "jsonlines":
        place.mapping(
            frozenset({"kind", "title", "folder_env", "fields"}), frozenset({"title", "folder_env"})
        )
        fields = _fields(place.at("fields"))
        return JsonLinesConnector(
            name, place.at("title").text(), place.at("folder_env").variable(), fields=fields
        )
    if isinstance(kind, str) and kind in remote_kinds.KINDS:
        return remote_kinds.connector(name, place)
    known = ", ".join(sorted([*_DATABASES, "jsonlines", *remote_kinds.KINDS]))
    raise place.error(f"the connector {name} has the kind {kind!r}", f"Use one of {known}.")


def _fields(place: Place) -> Mapping[str, str]:
    if place.data is None:
        return {}
    chosen = place.mapping(frozenset({"ts", "level", "service", "tenant", "message"}))
    return {name: place.at(name).text() for name in chosen}
