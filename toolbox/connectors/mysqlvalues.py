"""Values to and from MySQL and MariaDB: arguments as literals that spell nothing, columns as plain data."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC
from typing import Any

from pymysql.constants import FIELD_TYPE

from assay_core.instants import NotAnInstant, as_text, from_text
from toolbox.connectors.pgfailures import ArgumentRefused
from toolbox.definitions import ToolDefinition
from toolbox.values import is_sendable, strict_json


def literals(names: Sequence[str], arguments: Mapping[str, Any], tool: ToolDefinition) -> list[str]:
    """Return a literal for each placeholder; an argument left out is NULL. Raises ArgumentRefused.

    A text becomes hexadecimal digits, which no quoting rule of any server can read as SQL. A time of the
    input schema becomes what the server compares with its own times, in UTC; a list what stands behind IN.
    """
    properties = tool.input.get("properties", {})
    return [
        _literal(name, arguments.get(name), properties.get(name, {}).get("format") == "date-time")
        for name in names
    ]


def _literal(name: str, value: Any, is_time: bool) -> str:
    if isinstance(value, list):
        return "(" + (", ".join(_one(name, item, is_time) for item in value) or "NULL") + ")"
    return _one(name, value, is_time)


def _one(name: str, value: Any, is_time: bool) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    if isinstance(value, str):
        if "\x00" in value:
            raise ArgumentRefused(f"{name} holds a NUL character")
        if not is_sendable(value):
            raise ArgumentRefused(f"{name} holds a lone surrogate")
        return f"_utf8mb4 X'{_time(name, value).encode().hex() if is_time else value.encode().hex()}'"
    raise ArgumentRefused(f"{name} is of the type {type(value).__name__}, which no placeholder takes")


def _time(name: str, value: str) -> str:
    try:
        return from_text(value).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
    except NotAnInstant:
        raise ArgumentRefused(f"{name} is no time") from None


def _timestamp(text: str) -> str:
    """A TIMESTAMP in UTC, which the session's time zone is."""
    try:
        return as_text(from_text(f"{text.replace(' ', 'T', 1)}Z"))
    except NotAnInstant:
        return text  # the zero date


def _moment(text: str) -> str:
    return text.replace(" ", "T", 1)


DECODERS: dict[int, Callable[[str], Any]] = {
    **dict.fromkeys(
        (FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.LONG, FIELD_TYPE.INT24, FIELD_TYPE.LONGLONG,
         FIELD_TYPE.YEAR),
        int,
    ),
    **dict.fromkeys((FIELD_TYPE.FLOAT, FIELD_TYPE.DOUBLE), float),
    FIELD_TYPE.TIMESTAMP: _timestamp,
    FIELD_TYPE.DATETIME: _moment,
    FIELD_TYPE.JSON: strict_json,
}  # fmt: skip


def plain(row: Sequence[Any]) -> tuple[Any, ...]:
    """Return a row whose binary columns are hexadecimal text."""
    return tuple("\\x" + value.hex() if isinstance(value, bytes) else value for value in row)
