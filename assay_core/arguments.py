"""A tool's arguments in their one form: declared defaults filled in, declared normalisations applied.

The gateway records this form and a rule's demanded arguments are brought into it,
so that the two can be compared for equality.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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


def one_form(arguments: Mapping[str, Any], shape: ToolShape) -> dict[str, Any]:
    """Return the arguments with defaults filled in and normalisations applied.

    A value that an operation cannot read is left as it is: equality then decides.
    """
    whole = {**shape.defaults, **arguments}
    for name, operations in shape.normalise.items():
        value = whole.get(name)
        if isinstance(value, str):
            whole[name] = normal(value, operations)
    return whole


def normal(text: str, operations: tuple[str, ...]) -> str:
    """Return a text with the operations applied in order; raise ValueError for an unknown one."""
    for operation in operations:
        text = _APPLY[operation](text)
    return text


def _instant(text: str) -> str:
    if _AS_WRITTEN(text):  # valid or not, it would stay as it is
        return text
    try:
        return as_text(from_text(text))
    except NotAnInstant:
        return text


class _Applied(dict[str, Callable[[str], str]]):
    """The operations by name; an unknown one raises ValueError."""

    def __missing__(self, operation: str) -> Callable[[str], str]:
        raise ValueError(f"unknown normalisation {operation!r}: use one of {', '.join(OPERATIONS)}")


_APPLY = _Applied(strip=str.strip, lower=str.lower, upper=str.upper, instant=_instant)
