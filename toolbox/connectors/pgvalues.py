"""Values to and from PostgreSQL: arguments as text for a cast, columns as plain data by their type."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import psycopg
from psycopg.adapt import AdaptersMap, Buffer, Loader, Transformer
from psycopg.types.array import register_all_arrays
from psycopg.types.bool import BoolLoader
from psycopg.types.numeric import FloatLoader, IntLoader

from assay_core.instants import as_text
from toolbox.connectors.pgfailures import ArgumentRefused
from toolbox.values import is_sendable, strict_json


class _Text(Loader):
    """Any type without a loader of its own, as the text that the server writes."""

    def load(self, data: Buffer) -> str:
        # A byte that is not UTF-8 becomes a lone surrogate here, which the cleaner replaces and counts.
        return bytes(data).decode("utf-8", "surrogateescape")


class _Numeric(Loader):
    """A decimal as its own text; what is no number as a float, which the cleaner marks."""

    def load(self, data: Buffer) -> str | float:
        text = bytes(data).decode()
        return text if text[-1].isdigit() else float(text)


class _Json(Loader):
    def load(self, data: Buffer) -> Any:
        return strict_json(bytes(data))


class _Instant(Loader):
    def load(self, data: Buffer) -> str:
        text = bytes(data).decode()
        try:
            return as_text(datetime.fromisoformat(text))
        except ValueError:
            return text  # infinity, or a year that Python does not know


class _Moment(Loader):
    def load(self, data: Buffer) -> str:
        return bytes(data).decode().replace(" ", "T", 1)


class _Context:
    """The loaders of results, apart from everything that psycopg registers by itself."""

    connection = None

    def __init__(self) -> None:
        self.adapters = AdaptersMap(types=psycopg.adapters.types)
        self.adapters.register_loader(0, _Text)
        for name in ("int2", "int4", "int8", "oid"):
            self.adapters.register_loader(name, IntLoader)
        for name in ("float4", "float8"):
            self.adapters.register_loader(name, FloatLoader)
        for name in ("json", "jsonb"):
            self.adapters.register_loader(name, _Json)
        self.adapters.register_loader("numeric", _Numeric)
        self.adapters.register_loader("bool", BoolLoader)
        self.adapters.register_loader("timestamptz", _Instant)
        self.adapters.register_loader("timestamp", _Moment)
        register_all_arrays(self)


_CONTEXT = _Context()


def columns(result: psycopg.pq.abc.PGresult) -> tuple[str, ...]:
    """Return the names of a result's columns."""
    return tuple((result.fname(index) or b"").decode("utf-8", "replace") for index in range(result.nfields))


def types(result: psycopg.pq.abc.PGresult) -> tuple[int, ...]:
    """Return the numbers of the types of a result's columns."""
    return tuple(result.ftype(index) for index in range(result.nfields))


def rows(result: psycopg.pq.abc.PGresult) -> list[tuple[Any, ...]]:
    """Return a text result's rows as plain Python values; raise ValueError for one that cannot be read."""
    transformer = Transformer(_CONTEXT)
    transformer.set_pgresult(result)
    return transformer.load_rows(0, result.ntuples, tuple)


def parameters(names: Sequence[str], arguments: Mapping[str, Any]) -> list[bytes | None]:
    """Return the arguments in the order of their placeholders, NULL for one left out.

    Raises ArgumentRefused.
    """
    return [_parameter(name, arguments.get(name)) for name in names]


def _parameter(name: str, value: Any) -> bytes | None:
    text = _as_text(name, value)
    return None if text is None else text.encode("utf-8")


def _as_text(name: str, value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        if "\x00" in value:
            # libpq would read the text up to the NUL only: another question than the recorded one.
            raise ArgumentRefused(f"{name} holds a NUL character")
        if not is_sendable(value):
            raise ArgumentRefused(f"{name} holds a lone surrogate")
        return value
    if isinstance(value, list):
        return "{" + ",".join(_element(name, item) for item in value) + "}"
    raise ArgumentRefused(f"{name} is of the type {type(value).__name__}, which no placeholder takes")


def _element(name: str, item: Any) -> str:
    if isinstance(item, list | dict):
        raise ArgumentRefused(f"{name} holds a list or an object inside a list")
    text = _as_text(name, item)
    if text is None:
        return "NULL"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
