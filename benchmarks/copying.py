"""How rows come into a table by COPY: a model's columns, many lines at once, and a value as COPY's text."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.types.json import Jsonb

from benchmarks.stored_incidents import defaults

if TYPE_CHECKING:
    from django.db.models import Model

_AT_ONCE = 1 << 20
Line = tuple[str, ...]
NULL = "\\N"


def copy(link: "psycopg.Connection[Any]", model: "type[Model]", rows: tuple[Line, Iterator[str]]) -> None:
    """Copy rows of a model: the columns that they name first, the rest as the model declares it."""
    columns, lines = rows
    rest = {name: escaped(value) for name, value in defaults(model).items() if name not in columns}
    tail = "".join(f"\t{value}" for value in rest.values()) + "\n"
    table = model._meta.db_table
    copy_into(link, table, (*columns, *rest), (line + tail for line in lines))
    if "id" in columns:
        link.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}".encode())


def copy_into(
    link: "psycopg.Connection[Any]", table: str, columns: Sequence[str], lines: Iterator[str]
) -> None:
    """Copy lines into a table, a megabyte at once."""
    gathered: list[str] = []
    size = 0
    with link.cursor().copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()) as into:
        for line in lines:
            gathered.append(line)
            size += len(line)
            if size > _AT_ONCE:
                into.write("".join(gathered))
                gathered, size = [], 0
        into.write("".join(gathered))


def escaped(value: object) -> str:
    """Return a value as COPY's text."""
    if value is None:
        return NULL
    text = json.dumps(value.obj) if isinstance(value, Jsonb) else str(value)
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def untold(line: str) -> str:
    """Return the text that `escaped` made a line's part of."""
    return line.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r").replace("\\\\", "\\")
