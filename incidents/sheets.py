"""Rows as CSV that a spreadsheet opens as text: nothing in it is taken for a formula. Pure."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

# What spreadsheets read as the beginning of a formula, also after spaces; full-width signs count for some.
_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv_text(head: Sequence[str], body: Iterable[Sequence[Any]]) -> str:
    """Return the rows under their head as CSV (RFC 4180). Numbers stay numbers."""
    return csv_rows([head, *body])


def csv_rows(body: Iterable[Sequence[Any]]) -> str:
    """Return rows alone, as more of a sheet that has begun."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerows([_safe(value) for value in row] for row in body)
    return written.getvalue()


def bare(cell: str) -> str:
    """Return what a cell of such a CSV holds, without the sign that keeps it from being a formula."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell[1:]) else cell


def _safe(value: Any) -> Any:
    if not isinstance(value, str):
        return "" if value is None else value
    text = value.replace("\0", "")
    return f"'{text}" if _is_formula(text) else text


def _is_formula(text: str) -> bool:
    return text.startswith(_BEGINS) or text.lstrip().startswith(_BEGINS)
