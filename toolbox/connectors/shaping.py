"""Rows as a tool declares its result, cut at its limits."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay_core.canonical import canonical
from assay_core.results import Status
from toolbox.connectors.base import Outcome
from toolbox.connectors.fetched import Fetched
from toolbox.definitions import ToolDefinition
from toolbox.values import Cleaner


def shaped(tool: ToolDefinition, fetched: Fetched, *, too_large: bool) -> Outcome:
    """Return the rows as `observed`, `empty`, `truncated` or `error`, whatever was searched."""
    if len(set(fetched.columns)) != len(fetched.columns):
        return Outcome(Status.ERROR, reason="two columns of the answer have the same name")
    cleaner = Cleaner()
    kept, fits = _within_bytes(tool, fetched, cleaner)
    too_large = too_large or not fits
    outcome = (_one if tool.shape == "one" else _rows)(tool, kept, fetched, too_large)
    note = f"{cleaner.replaced} characters or numbers that a result cannot hold were put as other text"
    reason = "; ".join(part for part in (outcome.reason, note if cleaner.replaced else "") if part)
    return Outcome(outcome.status, outcome.result, reason, replaced=cleaner.replaced)


def _within_bytes(
    tool: ToolDefinition, fetched: Fetched, cleaner: Cleaner
) -> tuple[list[Mapping[str, Any]], bool]:
    kept: list[Mapping[str, Any]] = []
    size = 64 + len(tool.key)
    for row in fetched.rows[: tool.limits.rows]:
        cleaned = cleaner.clean(dict(zip(fetched.columns, row, strict=True)))
        size += len(canonical(cleaned)) + 1
        if size > tool.limits.bytes:
            return kept, False
        kept.append(cleaned)
    return kept, True


def _one(
    tool: ToolDefinition, kept: Sequence[Mapping[str, Any]], fetched: Fetched, too_large: bool
) -> Outcome:
    if too_large:
        return Outcome(Status.TRUNCATED, reason=f"the answer takes more than {tool.limits.bytes} bytes")
    if len(fetched.rows) > 1:
        return Outcome(Status.ERROR, reason="the question asks for one row and more than one answers it")
    if not kept:
        return Outcome(Status.EMPTY, {tool.key: None})
    return Outcome(Status.OBSERVED, {tool.key: kept[0]})


def _rows(
    tool: ToolDefinition, kept: Sequence[Mapping[str, Any]], fetched: Fetched, too_large: bool
) -> Outcome:
    result = {tool.key: list(kept), "row_count": len(kept)}
    if too_large:
        reason = f"the answer takes more than {tool.limits.bytes} bytes; its first {len(kept)} rows are kept"
        return Outcome(Status.TRUNCATED, result, reason)
    if len(fetched.rows) > tool.limits.rows:
        reason = f"more than {tool.limits.rows} rows answer the question; the first {len(kept)} are kept"
        return Outcome(Status.TRUNCATED, result, reason)
    return Outcome(Status.OBSERVED if kept else Status.EMPTY, result)
