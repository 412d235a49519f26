"""A strict view of one recorded result: what is missing or of another type raises, nothing has a default."""

import json
import math
import re
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Any

from assay_core.instants import NotAnInstant, as_text, from_text

Path = str | tuple[str, ...]
#: Where an item of a list stands: the place of the answer that holds the list, the list's path, its index.
Place = tuple["Place | None", Path, int]
#: One read: where, by which path, and the value found.
Read = tuple[Place | None, Path, Any]

_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
_LONGEST_SHOWN = 80
_KEYS_SHOWN = 8
_PATHS_KEPT = 4096


class FieldMissing(LookupError):
    """The answer has no field at this path."""

    def __init__(self, path: str, found: str) -> None:
        """Keep the path and what stands in its place."""
        super().__init__(f"{path} is missing: {found}")
        self.path = path
        self.found = found


class FieldMismatch(TypeError):
    """The field at this path is there, but of another type than the check reads."""

    def __init__(self, path: str, expected: str, found: str) -> None:
        """Keep the path, the type that was expected and what was found."""
        super().__init__(f"{path} must be {expected}, found {found}")
        self.path = path
        self.expected = expected
        self.found = found


class Answer:
    """Typed reads by dotted path (`job.state`, `rows.0.id`; a tuple where a key itself holds a dot).

    Every read raises FieldMissing or FieldMismatch when it can't be answered exactly. There is
    deliberately no `get`, no default, no length, no iteration and no truth value.
    """

    __slots__ = ("_place", "_result", "_told_at", "log")

    def __init__(
        self,
        result: Any,
        place: Place | None = None,
        log: list[Read] | None = None,
        told_at: datetime | None = None,
    ) -> None:
        """View a recorded result, given at `told_at`; `place` and `log` are for the items of a list."""
        self._result = result
        self._place = place
        self._told_at = told_at
        #: What was read, in order: the words of a verdict's reason. Paths are joined when they are told.
        self.log: list[Read] = [] if log is None else log

    @property
    def reads(self) -> list[tuple[str, Any]]:
        """Each path that was read with the value found, in order."""
        return named(self.log)

    def __bool__(self) -> bool:
        """Refuse: whether an answer "is there" is no fact about the world."""
        raise TypeError("an answer has no truth value: read a field of it")

    def text(self, path: Path) -> str:
        """Return a text."""
        value = self._read(path)
        if type(value) is str:
            return value
        raise self._mismatch(path, "text", value)

    def integer(self, path: Path) -> int:
        """Return a whole number; `true` is none, nor is 1.0 or "1"."""
        value = self._read(path)
        if type(value) is int:
            return value
        raise self._mismatch(path, "a whole number", value)

    def number(self, path: Path) -> int | float:
        """Return a finite number; `true` is none, nor are NaN, the infinities or "1.5"."""
        value = self._read(path)
        if type(value) is int:
            return value
        if type(value) is float and math.isfinite(value):
            return value
        raise self._mismatch(path, "a finite number", value)

    def decimal(self, path: Path) -> Decimal:
        """Return a decimal number that was recorded as text, like "12.50"."""
        value = self._read(path)
        if type(value) is str and _DECIMAL.fullmatch(value):
            return Decimal(value)
        raise self._mismatch(path, 'decimal text like "12.50"', value)

    def flag(self, path: Path) -> bool:
        """Return true or false; 1, "true" and null are neither."""
        value = self._read(path)
        if type(value) is bool:
            return value
        raise self._mismatch(path, "true or false", value)

    def instant(self, path: Path) -> datetime:
        """Return a point in time that had come when the answer was given: ISO 8601 text with a zone.

        What is dated ahead has not happened. A time that may lie ahead is read with `planned`.
        """
        moment = self.planned(path)
        told_at = self._told_at
        if told_at is not None and moment > told_at:
            _, _, value = self.log[-1]
            raise self._mismatch(path, f"a time that had come by {as_text(told_at)}", value)
        return moment

    def planned(self, path: Path) -> datetime:
        """Return a point in time that may lie ahead, as an end that is planned does: ISO 8601 with a zone."""
        value = self._read(path)
        if type(value) is str:
            try:
                return from_text(value)
            except NotAnInstant:
                pass
        raise self._mismatch(path, "a time with its zone", value)

    def items(self, path: Path) -> tuple["Answer", ...]:
        """Return each item of a list as an Answer of its own (mind that `all()` of no items is true)."""
        place, log, told_at = self._place, self.log, self._told_at
        return tuple(
            [Answer(item, (place, path, index), log, told_at) for index, item in enumerate(self._list(path))]
        )

    def count(self, path: Path) -> int:
        """Return how many items a list holds (a recorded count is read with `integer`)."""
        return len(self._list(path))

    def is_null(self, path: Path) -> bool:
        """Return whether a field that is there is null; a field that is not there raises."""
        return self._read(path) is None

    def _list(self, path: Path) -> list[Any]:
        value = self._read(path)
        if type(value) is list:
            return value
        raise self._mismatch(path, "a list", value)

    def _read(self, path: Path) -> Any:
        node = self._result
        for step in _STEPS[path]:
            if type(node) is dict and step in node:
                node = node[step]
            elif type(node) is list and step.isdecimal() and step.isascii() and int(step) < len(node):
                node = node[int(step)]
            else:
                raise FieldMissing(self._at(path), f"no {step} in {_contents(node)}")
        self.log.append((self._place, path, node))
        return node

    def _at(self, path: Path) -> str:
        return _dotted(self._place, path)

    def _mismatch(self, path: Path, expected: str, found: Any) -> FieldMismatch:
        return FieldMismatch(self._at(path), expected, shown(found))


def named(log: Sequence[Read]) -> list[tuple[str, Any]]:
    """Return what was read as dotted paths with the values found."""
    return [(_dotted(place, path), value) for place, path, value in log]


def _dotted(place: Place | None, path: Path) -> str:
    dotted = path if isinstance(path, str) else ".".join(path)
    if place is None:
        return dotted
    outer, items, index = place
    return f"{_dotted(outer, items)}.{index}.{dotted}"


def shown(value: Any) -> str:
    """Return a recorded value in plain words, inert and short enough for a sentence."""
    kind = type(value)
    if kind is str:
        return _quoted(value)
    if kind is int:  # far beyond 64 bits, int to text becomes slow and then raises
        return str(value) if value.bit_length() <= 256 else "a very long number"
    if kind is bool:
        return "true" if value else "false"
    if value is None:
        return "null"
    if kind is float:
        return repr(value)
    if kind is list:
        return f"a list of {len(value)}" if value else "an empty list"
    if kind is dict:
        return "an object" if value else "an empty object"
    return f"a {kind.__name__}"


def inert(text: str, longest: int = 200) -> str:
    """Return a stranger's text on one line, short, with whatever is not printable escaped."""
    cut = text if len(text) <= longest else f"{text[:longest]}…"
    return cut if cut.isprintable() else cut.encode("unicode_escape").decode("ascii")


def _quoted(text: str) -> str:
    """Quote a text so that it can neither end its quotation nor break the line."""
    cut = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
    if cut.isprintable() and '"' not in cut and "\\" not in cut:
        return f'"{cut}"'
    return json.dumps(cut)


def _contents(node: Any) -> str:
    if type(node) is dict and node:
        names = [inert(str(key), 40) for key in islice(node, _KEYS_SHOWN)]
        return f"an object that has {', '.join(names)}{', …' if len(node) > len(names) else ''}"
    return shown(node)


class _Steps(dict[Path, tuple[str, ...]]):
    """The steps of a path, cut once for each of the first thousands."""

    def __missing__(self, path: Path) -> tuple[str, ...]:
        steps = tuple(path.split(".")) if isinstance(path, str) else path
        if len(self) < _PATHS_KEPT:
            self[path] = steps
        return steps


_STEPS = _Steps()
