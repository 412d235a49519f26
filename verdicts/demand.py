"""The right question: a fact's arguments for one subject in their one form, and when two are the same."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from assay_core.arguments import ToolShape, instant
from assay_core.instants import as_text
from verdicts.answer import inert, shown
from verdicts.case import Subject
from verdicts.fact import MAX_AGE, Fact

_PARTS_TOLD = 4
_TEXT = frozenset({str})


class NotAskable(ValueError):
    """What `ask` returned can't be a tool's arguments; the message names the place and the type."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a fact needs to be asked. A call before `not_before`, or older than `max_age`, earns nothing."""

    fact: str
    tool: str
    arguments: Mapping[str, Any]
    not_before: datetime | None = None
    max_age: timedelta = MAX_AGE

    def counts(self, called_at: datetime, now: datetime) -> bool:
        """Say whether a call of that time can earn anything when it is judged now."""
        return now - called_at <= self.max_age and (self.not_before is None or called_at >= self.not_before)


def demanded(fact: Fact, subject: Subject, shape: ToolShape) -> dict[str, Any]:
    """Return the arguments that a recorded call must equal, JSON-ready and in their one form.

    Raises whatever `ask` raises (IdentifierMissing above all), and NotAskable.
    """
    asked = fact.ask(subject)
    arguments = _flat(asked, shape.steps) if type(asked) is dict else _one_form(asked, shape)
    for name, value in shape.defaults.items():
        if name not in arguments:
            arguments |= _flat({name: json_ready(value, f"the default of {name}")}, shape.steps)
    return arguments


def _flat(asked: dict[Any, Any], steps: Mapping[str, Callable[[str], str]]) -> dict[str, Any]:
    """Bring what `ask` returned into its one form in a single pass."""
    made = {}
    for name, value in asked.items():
        kind = type(value)
        if kind is datetime:
            value = as_text(value)
        elif kind is not str or not value.isascii():
            value = json_ready(value, f"ask.{name}")
        if name in steps and type(value) is str:
            step = steps[name]
            if kind is not datetime or step is not instant:  # which as_text has done already
                value = step(value)
        elif type(name) is not str:
            raise NotAskable(f"ask has the key {shown(name)}, and a name is text")
        made[name] = value
    return made


def _one_form(asked: Any, shape: ToolShape) -> dict[str, Any]:
    arguments = json_ready(asked)
    if type(arguments) is not dict:
        raise NotAskable(f"ask returned {shown(arguments)}, not a mapping of arguments")
    return _flat(arguments, shape.steps)


def json_ready(value: Any, path: str = "ask") -> Any:
    """Return a value as plain JSON: times become UTC text, tuples lists; raise NotAskable for strangers."""
    kind = type(value)
    if value is None or kind is int or kind is bool or (kind is str and value.isascii()):
        return value
    if isinstance(value, Mapping):
        return _ready_object(value, path)
    if kind is list or kind is tuple:
        return [json_ready(item, f"{path}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, datetime):
        return as_text(value)
    if kind is float and math.isfinite(value):
        return value
    if isinstance(value, str):
        return _ready_text(value, path)
    raise NotAskable(f"{path} is a {kind.__name__}, which no tool can be asked")


def _ready_object(value: Mapping[Any, Any], path: str) -> dict[str, Any]:
    ready = {}
    for key, item in value.items():
        if type(key) is not str:
            raise NotAskable(f"{path} has the key {shown(key)}, and a name is text")
        ready[key] = json_ready(item, f"{path}.{key}")
    return ready


def _ready_text(value: str, path: str) -> str:
    plain = str.__str__(value)  # of a word of an enum, its value
    if any("\ud800" <= char <= "\udfff" for char in plain):
        raise NotAskable(f"{path} holds a lone surrogate, which no tool can be asked")
    return plain


def same(left: Any, right: Any) -> bool:
    """Say whether two JSON values have one canonical text: 1, 1.0, true and "1" are four different things."""
    kind = type(left)
    if kind is not type(right):
        return False
    if kind is dict:
        return left.keys() == right.keys() and all(map(same, left.values(), map(right.get, left)))
    if kind is list:
        return len(left) == len(right) and all(map(same, left, right))
    if kind is float:  # 0.0 and -0.0 are equal and have two texts
        return math.isfinite(left) and repr(left) == repr(right)
    return bool(left == right)


def is_question(wanted: dict[str, Any], asked: Mapping[str, Any]) -> bool:
    """Say whether recorded arguments are the wanted ones: `same`, told at once for nearly every pair."""
    if asked != wanted:
        return False
    if type(asked) is dict and _TEXT.issuperset(map(type, asked.values())):
        return True  # what was made JSON-ready and equals a text is that text
    return same(wanted, asked)


def difference(wanted: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """Say in words how a recorded question differs from the one that counts."""
    parts = []
    for name in sorted(wanted.keys() | asked.keys()):
        if name not in asked:
            parts.append(f"without {name} {shown(wanted[name])}")
        elif name not in wanted:
            parts.append(
                f"with {inert(name, 40)} {shown(asked[name])}, which does not belong to the question"
            )
        elif not same(wanted[name], asked[name]):
            parts.append(f"for {name} {shown(asked[name])} instead of {shown(wanted[name])}")
    more = f", and {len(parts) - _PARTS_TOLD} more" if len(parts) > _PARTS_TOLD else ""
    return ", ".join(parts[:_PARTS_TOLD]) + more or "for something else"
