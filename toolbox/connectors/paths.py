"""Path templates with typed, percent-encoded holes, and dotted paths into what comes back."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from toolbox import remote
from toolbox.connectors.httpconnector import segment
from toolbox.connectors.httpjson import AnswerMalformed
from toolbox.querytext import ArgumentRefused
from toolbox.remote import Given
from toolbox.yamlfile import Place

_HOLE = re.compile(r"\{([a-z_][a-z0-9_]*)\}")
_INDEX = re.compile(r"[a-z0-9][a-z0-9._-]{0,100}")
Writer = Callable[[str, Any], str]


@dataclass(frozen=True, slots=True)
class PathTemplate:
    """A path in pieces: every second piece is the name of an argument."""

    pieces: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        """The arguments that it uses."""
        return frozenset(self.pieces[1::2])

    def render(self, arguments: Mapping[str, Any], write: Writer = segment) -> str:
        """Return the path with its values; raise ArgumentRefused."""
        return "".join(
            write(piece, arguments.get(piece)) if index % 2 else piece
            for index, piece in enumerate(self.pieces)
        )


def path_template(place: Place, given: Given) -> PathTemplate:
    """Read a path like `/repos/{owner}/issues`; raise DefinitionError."""
    text = place.text()
    pieces = _HOLE.split(text)
    for fixed in pieces[::2]:
        if fixed != quote(fixed, safe="/-._~*,:@+") or "//" in fixed or ".." in fixed:
            raise place.error(
                f"{fixed!r} cannot stand in a path", "Write {argument} for values, and %-free text around it."
            )
    for name in pieces[1::2]:
        remote.required(place, name, given)
    return PathTemplate(tuple(pieces))


def index_part(name: str, value: Any) -> str:
    """Return an argument as part of an index's name; raise ArgumentRefused for wildcards and lists."""
    if not isinstance(value, str) or not _INDEX.fullmatch(value):
        raise ArgumentRefused(f"{name} is no part of an index's name (lower-case letters, digits, . _ -)")
    return value


def dotted(value: Any, path: str) -> Any:
    """Return what stands at a dotted path, whether its keys are nested or dotted themselves.

    Null where a nested object ends early in null; raises AnswerMalformed where nothing stands at the path.
    """
    if isinstance(value, Mapping):
        if path in value:
            return value[path]
        head, _, rest = path.partition(".")
        if rest and head in value:
            return None if value[head] is None else dotted(value[head], rest)
    raise AnswerMalformed(f"the answer has no {path}")
