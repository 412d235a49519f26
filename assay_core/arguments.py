"""A tool's arguments in their one form: declared defaults filled in, declared normalisations applied.

The gateway records this form and a rule's demanded arguments are brought into it,
so that the two can be compared for equality.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from assay_core.instants import NotAnInstant, as_text, from_text

OPERATIONS = ("strip", "lower", "upper", "instant")
_AS_WRITTEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII).fullmatch


@dataclass(frozen=True, slots=True)
class ToolShape:
    """What the verdict must know of a tool: its schemas' digest and the form of its arguments.

    `defaults` maps an argument to the value it has when left out; `normalise` maps an
    argument to the operations applied in order: `strip`, `lower`, `upper`, `instant`.
    """

    name: str
    digest: str
    defaults: Mapping[str, Any] = field(default_factory=dict)
    normalise: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: The operations of each argument as one function, made once.
    steps: Mapping[str, Callable[[str], str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Look the operations up; one that is unknown raises ValueError when it is applied."""
        steps = {name: _one_step(operations) for name, operations in self.normalise.items()}
        object.__setattr__(self, "steps", steps)


def one_form(arguments: Mapping[str, Any], shape: ToolShape) -> dict[str, Any]:
    """Return the arguments with defaults filled in and normalisations applied.

    A value that an operation cannot read is left as it is: equality then decides.
    """
    whole = {**shape.defaults, **arguments}
    for name, step in shape.steps.items():
        value = whole.get(name)
        if isinstance(value, str):
            whole[name] = step(value)
    return whole


def instant(text: str) -> str:
    """Return a time as it is written in arguments; a text that is none stays as it is."""
    if _AS_WRITTEN(text):  # valid or not, it would stay as it is
        return text
    try:
        return as_text(from_text(text))
    except NotAnInstant:
        return text


# Of ASCII letters alone: the Kelvin sign is not a k, or somebody's look-alike would be somebody else.
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_UPPER = str.maketrans(ascii_lowercase, ascii_uppercase)


def lower(text: str) -> str:
    """Return a text with its ASCII letters small, as arguments are: every other letter stays itself."""
    return text.translate(_LOWER)


def upper(text: str) -> str:
    """Return a text with its ASCII letters capital, as arguments are: every other letter stays itself."""
    return text.translate(_UPPER)


_APPLY: Mapping[str, Callable[[str], str]] = {
    "strip": str.strip,
    "lower": lower,
    "upper": upper,
    "instant": instant,
}


def _one_step(operations: tuple[str, ...]) -> Callable[[str], str]:
    if len(operations) == 1 and operations[0] in _APPLY:
        return _APPLY[operations[0]]
    return partial(_in_turn, operations)


def _in_turn(operations: tuple[str, ...], text: str) -> str:
    for operation in operations:
        if operation not in _APPLY:
            raise ValueError(f"unknown normalisation {operation!r}: use one of {', '.join(OPERATIONS)}")
        text = _APPLY[operation](text)
    return text
