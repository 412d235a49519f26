"""The rows of a parametrised pure test, run as one: what pytest does around each costs more than the row.

Every row is still judged, and each that fails is named. `ROWS=1` makes each a test of its own again.
"""

import inspect
import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import pytest

Row = Mapping[str, Any]
_KNOWN = frozenset({"ids"})
_shown = reprlib.Repr()
_shown.maxstring = _shown.maxother = 200


def rows_of(function: Callable[..., object]) -> list[Row] | None:
    """Return each row's arguments; None where the function is no plain test, given its rows alone."""
    marks: Sequence[pytest.Mark] = getattr(function, "pytestmark", ())
    plain = all(mark.name == "parametrize" and not mark.kwargs.keys() - _KNOWN for mark in marks)
    if not marks or not plain or not inspect.isfunction(function) or hasattr(function, "hypothesis"):
        return None
    columns = [_column(*mark.args) for mark in reversed(marks) if len(mark.args) == 2]
    if len(columns) < len(marks) or any(column is None for column in columns):
        return None
    rows: list[Row] = []
    for parts in product(*filter(None, columns)):
        rows.append({name: value for part in parts for name, value in part.items()})
    names = set(inspect.signature(function).parameters)
    return rows if len(rows) > 1 and all(row.keys() == names for row in rows) else None


def _column(names: str | Sequence[str], values: Iterable[Any]) -> list[Row] | None:
    if not isinstance(values, Collection):
        return None  # it can be gone through once, by pytest
    listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    made: list[Row] = []
    for each in values:
        if isinstance(each, type(pytest.param())):
            if each.marks:
                return None
            each = each.values if len(listed) > 1 else each.values[0]
        made.append(dict(zip(listed, each, strict=True)) if len(listed) > 1 else {listed[0]: each})
    return made


def folded(function: Callable[..., object], rows: Sequence[Row]) -> Callable[[], None]:
    """Return a test of all rows. It raises what the one row that fails raised, or a group of them."""

    def test() -> None:
        failed: list[Exception] = []
        for place, row in enumerate(rows, start=1):
            try:
                function(**row)
            except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 a test may raise anything
                error.add_note(f"This was row {place} of {len(rows)}: {_shown.repr(dict(row))}")
                failed.append(error if isinstance(error, Exception) else AssertionError(str(error)))
        if len(failed) == 1:
            raise failed[0]
        if failed:
            raise ExceptionGroup(f"{len(failed)} of {len(rows)} rows failed", failed)

    test.__name__, test.__doc__, test.__module__ = function.__name__, function.__doc__, function.__module__
    return test
