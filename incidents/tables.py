"""A tool's result as tables for reading: each list of rows and each single row. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ABSENT = "–"
ROWS_SHOWN = 100
COLUMNS_SHOWN = 24


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under their column names. `left_off` counts the rows that are not shown."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    left_off: int


def table_of(result: object) -> tuple[Table, ...]:
    """Return the tables of a result: scalars side by side first, then every record and list of records."""
    if not isinstance(result, Mapping):
        return ()
    scalars = {name: value for name, value in result.items() if not isinstance(value, Mapping | list)}
    tables = [Table("", ("field", "value"), tuple(scalars.items()), 0)] if scalars else []
    for name, value in result.items():
        if isinstance(value, Mapping):
            tables.append(Table(name, ("field", "value"), tuple(value.items()), 0))
        elif isinstance(value, list) and value:
            tables.append(_of_list(name, value))
    return tuple(tables)


def _of_list(name: str, items: list[Any]) -> Table:
    shown = items[:ROWS_SHOWN]
    left_off = len(items) - len(shown)
    if all(isinstance(item, Mapping) for item in shown):
        columns = list(dict.fromkeys(key for item in shown for key in item))[:COLUMNS_SHOWN]
        rows = [[item.get(column, ABSENT) for column in columns] for item in shown]
        return Table(name, columns, rows, left_off)
    return Table(name, ("value",), [[item] for item in shown], left_off)
