"""What a database's answer is worth beside the answer to its control question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from assay_core.instants import NotAnInstant, as_text, from_text
from assay_core.results import Status
from toolbox.connectors.base import Outcome
from toolbox.connectors.fetched import Fetched
from toolbox.definitions import ToolDefinition

_BOOLEAN = 16
# Truth, numbers, texts, times, uuid: nothing lies inside them.
_PLAIN = frozenset(
    {_BOOLEAN, 18, 19, 20, 21, 23, 25, 700, 701, 1042, 1043, 1082, 1083, 1114, 1184, 1266, 1700, 2950}
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the database said: its rows, and what the control question proved (None: there was none)."""

    fetched: Fetched
    too_large: bool
    control: Mapping[str, Any] | None


class ControlBroken(Exception):
    """The control question did not answer in its form; the message says what was expected."""


def control_row(fetched: Fetched) -> Mapping[str, Any]:
    """Return the one row of a control question's answer; raise ControlBroken."""
    if len(fetched.rows) != 1:
        raise ControlBroken("the control question does not answer with exactly one row")
    row = dict(zip(fetched.columns, fetched.rows[0], strict=True))
    if not isinstance(row.get("holds"), bool):
        raise ControlBroken("the control question has no boolean column `holds`")
    return row


def misfit(tool: ToolDefinition, answer: Fetched, control: Fetched | None = None) -> str:
    """Return what is wrong with every answer of these columns, or ''. They are described, not yet read."""
    columns = answer.columns
    if len(set(columns)) != len(columns):
        return "two columns of the answer have the same name: rename one with AS"
    lacking = [name for name in _required(tool) if name not in columns]
    if lacking:
        return f"the output requires {lacking[0]!r}, and the question answers {', '.join(columns)}"
    if control and dict(zip(control.columns, control.types, strict=True)).get("holds") != _BOOLEAN:
        return "the control question has no boolean column `holds`: write SELECT EXISTS (...) AS holds"
    unmet = [hint for hint in tool.redact if not _is_met(hint.split("."), tool, answer)]
    if unmet:
        return f"redact names {unmet[0]!r}, and no column or argument is called so: nothing would be hidden"
    return ""


def _required(tool: ToolDefinition) -> Sequence[str]:
    """Return what the declared output requires of each row."""
    part = tool.output.get("properties", {}).get(tool.key, {})
    if tool.shape == "rows" and isinstance(part, Mapping):
        part = part.get("items", {})
    return part.get("required", ()) if isinstance(part, Mapping) else ()


def _is_met(hint: Sequence[str], tool: ToolDefinition, answer: Fetched) -> bool:
    """Say whether a column or an argument may have the name; what lies inside JSON only an answer shows."""
    if hint[0] in tool.input["properties"] or any(kind not in _PLAIN for kind in answer.types):
        return True
    path = (tool.key, *hint)
    return any(path[-2:] == (tool.key, name) or hint == [name] for name in answer.columns) or hint == [
        tool.key
    ]


def weighed(
    tool: ToolDefinition,
    outcome: Outcome,
    control: Mapping[str, Any] | None,
    window: Mapping[str, Any] | None,
) -> Outcome:
    """Return the outcome, or `unanswerable` where nothing proves that the place and window hold data."""
    if outcome.status is Status.ERROR:
        return outcome
    if control is not None and not control["holds"]:
        reason = "the control question finds nothing where this was searched, so the answer proves nothing"
        return replace(outcome, status=Status.UNANSWERABLE, reason=_joined(reason, outcome.reason))
    if control is None and outcome.status is Status.EMPTY:
        reason = "nothing was found, and the tool has no control question to prove that it could have been"
        return replace(outcome, status=Status.UNANSWERABLE, reason=_joined(reason, outcome.reason))
    total = control.get("total") if control else None
    if isinstance(total, int) and not isinstance(total, bool):
        window = {**(window or {}), "total": total}
    return replace(outcome, covered=window)


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def covered(tool: ToolDefinition, arguments: Mapping[str, Any], called_at: datetime) -> dict[str, Any] | None:
    """Return the window that the question spans. Nobody can have searched what lay in the future."""
    if not tool.covers:
        return None
    now = as_text(called_at)
    try:
        since = as_text(from_text(arguments[tool.covers["since"]]))
        asked = arguments.get(tool.covers["until"]) if "until" in tool.covers else None
        until = min(as_text(from_text(asked)), now) if asked is not None else now
    except (KeyError, TypeError, NotAnInstant):
        return None
    return {"since": since, "until": until}
