"""Query texts (PromQL, LogQL) with typed placeholders: an argument can only ever be a value in them."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(
    r"%(?:\((?P<name>[a-z_][a-z0-9_]*)\)s::(?P<type>[a-z]+)|(?P<percent>%)|(?P<other>.?))", re.DOTALL
)
_DURATION = re.compile(r"[1-9][0-9]{0,5}(ms|s|m|h|d|w)")
_LABEL = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*=\s*$")
_RISKY = re.compile(r"([.+*?()|\[\]{}^$\\])")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class QueryRefused(ValueError):
    """A query text cannot be used; the message says the cure."""


class ArgumentRefused(ValueError):
    """An argument cannot be put into a query; the message names it."""


@dataclass(frozen=True, slots=True)
class Hole:
    """One placeholder: the argument, and how its value is written."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class QueryText:
    """A query in pieces. `labels` pairs each label that must equal an argument with that argument."""

    pieces: tuple[str | Hole, ...]
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The arguments that the query uses."""
        return frozenset(piece.name for piece in self.pieces if isinstance(piece, Hole))

    @property
    def literal(self) -> str:
        """The query's own text, with what stands in quotes left out: for looking at its functions."""
        return _without_strings("".join("0" if isinstance(piece, Hole) else piece for piece in self.pieces))

    def render(self, arguments: Mapping[str, Any]) -> str:
        """Return the query with its values; raise ArgumentRefused."""
        return "".join(
            _WRITERS[piece.type](piece.name, arguments.get(piece.name)) if isinstance(piece, Hole) else piece
            for piece in self.pieces
        )


def parse(text: str) -> QueryText:
    """Read a query with `%(name)s::type` placeholders and `%%` for a percent sign; raise QueryRefused."""
    pieces: list[str | Hole] = []
    labels: list[tuple[str, str]] = []
    before = ""
    end = 0
    for match in _TOKEN.finditer(text):
        before += text[end : match.start()]
        end = match.end()
        if match["percent"]:
            before += "%"
            continue
        hole = _hole(match)
        if _open_quote("".join(piece if isinstance(piece, str) else "0" for piece in pieces) + before):
            raise QueryRefused(
                f"%({hole.name})s stands in quotes: remove them, they are written with the value"
            )
        label = _LABEL.search(before)
        if label and hole.type == "text":
            labels.append((label[1], hole.name))
        pieces += [before, hole]
        before = ""
    pieces.append(before + text[end:])
    whole = QueryText(tuple(pieces), tuple(labels))
    if "#" in whole.literal or "\x00" in text:
        raise QueryRefused("the query holds a comment: remove it")
    return whole


def _hole(match: re.Match[str]) -> Hole:
    name, kind = match["name"], match["type"]
    if name is None or kind not in _WRITERS:
        raise QueryRefused(
            f"{match.group(0)!r} is no placeholder: write %(name)s::TYPE with one of "
            f"{', '.join(sorted(_WRITERS))}, or %% for a percent sign"
        )
    return Hole(name, kind)


def _open_quote(text: str) -> bool:
    """Return whether a string literal is still open at the end of the text."""
    quote = ""
    skip = False
    for char in text:
        if skip:
            skip = False
        elif quote:
            if char == "\\" and quote != "`":
                skip = True
            elif char == quote:
                quote = ""
        elif char in "\"'`":
            quote = char
    return bool(quote)


def _without_strings(text: str) -> str:
    return re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|`[^`]*`', '""', text, flags=re.DOTALL)


def _quoted(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ArgumentRefused(f"{name} is not a text")
    written = "".join(_ESCAPES.get(char, char) for char in value)
    if any(char < " " or "\ud800" <= char <= "\udfff" or char == "\x7f" for char in written):
        raise ArgumentRefused(f"{name} holds a control character")
    return f'"{written}"'


def _prefix(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ArgumentRefused(f"{name} is not a text that something can begin with")
    return _quoted(name, _RISKY.sub(r"\\\1", value) + ".*")


def _number(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ArgumentRefused(f"{name} is not a finite number")
    return f"({value!r})" if value < 0 else repr(value)


def _duration(name: str, value: Any) -> str:
    if not isinstance(value, str) or not _DURATION.fullmatch(value):
        raise ArgumentRefused(f"{name} is no duration like 30s, 5m or 2h")
    return value


_WRITERS: Mapping[str, Callable[[str, Any], str]] = {
    "text": _quoted,
    "prefix": _prefix,
    "number": _number,
    "duration": _duration,
}
