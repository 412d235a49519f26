"""A tool's arguments in their one form: declared defaults filled in, declared normalisations applied.

The gateway records this form and a rule's demanded arguments are brought into it,
so that the two can be compared for equality.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay_core.instants import NotAnInstant, as_text, from_text

OPERATIONS = ("strip", "lower", "upper", "instant")
_AS_WRITTEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)


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
        if name in whole:
            whole[name] = _normal(whole[name], operations)
    return whole


def _normal(value: Any, operations: tuple[str, ...]) -> Any:
    if not isinstance(value, str):
        return value
    for operation in operations:
        value = _apply(value, operation)
    return value


def _apply(text: str, operation: str) -> str:
    match operation:
        case "strip":
            return text.strip()
        case "lower":
            return text.lower()
        case "upper":
            return text.upper()
        case "instant":
            if _AS_WRITTEN.fullmatch(text):  # valid or not, it would stay as it is
                return text
            try:
                return as_text(from_text(text))
            except NotAnInstant:
                return text
        case _:
            raise ValueError(f"unknown normalisation {operation!r}: use strip, lower, upper or instant")
