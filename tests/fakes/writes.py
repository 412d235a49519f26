"""A target of writes that is a folder, so that every process sees it: its state, its calls, its moods.

`ASSAY_TEST_TARGET` names the folder. A mood is a file `mood.json` that maps the name of a method to what it
does instead: {"observe": "fail"}.
"""

import json
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from approvals.actions.base import (
    ActionFailed,
    Check,
    CouldNotCheck,
    Footprint,
    Hands,
    Observed,
    OutcomeUnknown,
    Proposal,
)
from approvals.states import Risk

FOLDER = "ASSAY_TEST_TARGET"


def folder() -> Path:
    return Path(os.environ[FOLDER])


def calls() -> list[dict[str, Any]]:
    """What the target was called with, over all processes."""
    file = folder() / "calls.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def set_state(**values: Any) -> None:
    (folder() / "state.json").write_text(json.dumps(values))


def state() -> dict[str, Any]:
    file = folder() / "state.json"
    found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    return found


def be(**moods: Any) -> None:
    (folder() / "mood.json").write_text(json.dumps(moods))


def _mood(method: str) -> Any:
    file = folder() / "mood.json"
    mood = json.loads(file.read_text()).get(method) if file.exists() else None
    match mood:
        case "fail":
            raise CouldNotCheck(f"{method} got no answer")
        case "crash":
            raise RuntimeError(f"{method} fell over")
        case "refuse":
            raise ActionFailed("the target said no")
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "break off":
            raise OutcomeUnknown("the connection broke")
        case {"slow": seconds}:
            time.sleep(seconds)
            return None
    return mood


@dataclass(frozen=True)
class SetNumber:
    """Set a number by its name."""

    name: str = "test.set_number"
    title: str = "Set a number"
    risk: Risk = Risk.LOW
    is_reversible: bool = True
    credential: str = "numbers"
    arguments: Mapping[str, Any] = None  # type: ignore[assignment]  # set below

    def __post_init__(self) -> None:
        schema = {
            "type": "object",
            "additionalProperties": False,
            "required": ["name", "value"],
            "properties": {"name": {"type": "string", "maxLength": 40}, "value": {"type": "integer"}},
        }
        object.__setattr__(self, "arguments", schema)

    def target(self, arguments: Mapping[str, Any]) -> str:
        return f"number:{arguments['name']}"

    def observe(self, arguments: Mapping[str, Any]) -> Observed:
        mood = _mood("observe")
        if mood is not None:
            return mood  # type: ignore[no-any-return]  # nonsense is the point
        value = state().get(arguments["name"], 0)
        return Observed(f"v{value}", {"value": value})

    def precondition(self, arguments: Mapping[str, Any], observed: Observed) -> str:
        mood = _mood("precondition")
        if mood is not None:
            return str(mood)
        return "it has that value already" if observed.state["value"] == arguments["value"] else ""

    def dry_run(self, arguments: Mapping[str, Any], hands: Hands) -> Footprint:
        mood = _mood("dry_run")
        if mood == "empty":
            return Footprint(())
        if mood == "wider":
            return Footprint((self.target(arguments), "number:other"), after={"value": arguments["value"]})
        if mood is not None:
            return mood  # type: ignore[no-any-return]  # nonsense is the point
        hands.field("token")
        before = {"value": state().get(arguments["name"], 0)}
        return Footprint((self.target(arguments),), (), before, {"value": arguments["value"]})

    def execute(
        self, arguments: Mapping[str, Any], observed: Observed, hands: Hands, key: str
    ) -> Mapping[str, Any]:
        _mood("execute")
        line = json.dumps({"key": key, **arguments}) + "\n"
        with (folder() / "calls.jsonl").open("a") as file:
            file.write(line)
        set_state(**{**state(), arguments["name"]: arguments["value"]})
        _mood("after")
        return {"was": observed.state.get("value", 0)}

    def verify(self, arguments: Mapping[str, Any], observed: Observed) -> Check | None:
        mood = _mood("verify")
        if mood == "none":
            return None
        return Check("find_number", {"name": arguments["name"]}, {"number.value": arguments["value"]}, 0.0)

    def rollback(self, arguments: Mapping[str, Any], observed: Observed) -> Proposal | None:
        back = {**arguments, "value": observed.state.get("value", 0)}
        return Proposal(self.name, back, "puts the old number back") if self.is_reversible else None

    def probe(self, hands: Hands) -> str:
        mood = _mood("probe")
        return "" if mood is None else mood


def declared(place: object) -> tuple[SetNumber, ...]:
    """The actions of this module, as a deployment's own modules declare theirs."""
    return (
        SetNumber(),
        SetNumber(name="test.set_number_high", risk=Risk.HIGH),
        SetNumber(name="test.add_forever", is_reversible=False),
    )
