"""A run as the guards of a draft see it: entries, an incident, and a backend that counts what it is asked."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from assay_core.arguments import ToolShape
from assay_core.results import Status
from investigations.citations import Ground, LookUp, Pattern
from investigations.citations.patterns import trace
from investigations.outcomes import BudgetSpent
from verdicts.case import Entry, Subject

BEGAN = datetime(2026, 11, 30, 11, 30, tzinfo=UTC)
REAL = "4bf92f3577b34da6a3ce929d0e0e4736"
OTHER = "0af7651916cd43dd8448eb211c80319c"
INVENTED = "deadbeefdeadbeefdeadbeefdeadbeef"
SHAPES = {name: ToolShape(name, digest="") for name in ("find_trace", "find_order")}
TRACES = trace(LookUp("find_trace", "trace_id", since="since"), "https://traces.example/{id}")


def subject(**changed: Any) -> Subject:
    """Return an alert."""
    return Subject(
        **{
            "incident": 7,
            "kind": "alert",
            "source": "prometheus",
            "title": "Payments are slow",
            "severity": "warning",
            "started_at": BEGAN,
            "received_at": BEGAN,
            "identifiers": {},
            "labels": {},
            "annotations": {},
            **changed,
        }
    )


def entry(number: int, result: Any, *, status: Status = Status.OBSERVED, **changed: Any) -> Entry:
    """Return one entry of the run."""
    at = BEGAN + timedelta(minutes=number % 60)
    return Entry(
        **{
            "id": number,
            "leaf": f"{number:064x}",
            "investigation": 3,
            "tool": "find_trace",
            "arguments": {},
            "status": status,
            "result": result,
            "reason": "",
            "called_at": at,
            "finished_at": at,
            "asked_by": "model",
            "covered": None,
            **changed,
        }
    )


def ground(*entries: Entry, **changed: Any) -> Ground:
    """Return what a draft is checked against."""
    plain: Mapping[str, Any] = {"patterns": (TRACES,), "shapes": SHAPES, **changed}
    return Ground(plain.get("subject", subject()), {each.id: each for each in entries}, **{
        name: value for name, value in plain.items() if name != "subject"
    })  # fmt: skip


class Backend:
    """Answers look-ups of traces; `fails` makes it answer like that, `left` bounds how often."""

    def __init__(self, *known: str, fails: Status | None = None, left: int = 99) -> None:
        self.known, self.fails, self.left = known, fails, left
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Entry:
        if not self.left:
            raise BudgetSpent("the limit of 2 tool calls was reached.")
        self.left -= 1
        self.asked.append((tool, dict(arguments)))
        value = str(arguments["trace_id"])
        made: dict[str, Any] = {"tool": tool, "arguments": dict(arguments)}
        number = 900 + len(self.asked)
        if self.fails:
            return entry(number, None, status=self.fails, reason="503", **made)
        if value in self.known:
            return entry(number, {"trace": {"trace_id": value}}, **made)
        return entry(number, {"trace": None}, status=Status.EMPTY, **made)


def order_pattern(**changed: Any) -> Pattern:
    """Return a kind of ids that a deployment declares."""
    import re

    return Pattern(
        **{
            "kind": "order",
            "shape": re.compile(r"\bA-[0-9]{4}\b"),
            "look_up": LookUp("find_order", "order_id"),
            "normal": str.upper,
            **changed,
        }
    )
