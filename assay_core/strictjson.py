"""JSON that every reader reads alike: what its decoder is to refuse, and what stands in it, in words.

Each refusal is a ValueError, as those of json itself are. Whoever reads says it in words of its own.
"""

import math
from typing import Any, NoReturn


def without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs (an `object_pairs_hook`): two values under one key are read as either."""
    read = dict(pairs)
    if len(read) != len(pairs):
        names = [name for name, _ in pairs]
        doubled = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {doubled!r} stands twice in one object")
    return read


def finite(text: str) -> float:
    """Return a number (a `parse_float`); one beyond all numbers would become an infinity."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:40]} is too large to be read")
    return number


def no_number(word: str) -> NoReturn:
    """Refuse NaN and the infinities (a `parse_constant`), which JSON does not know."""
    raise ValueError(f"{word} is not a JSON number")


def kind_of(value: Any) -> str:
    """Name what a value is, as a person would."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list() | tuple():
            return "a list"
        case dict():
            return "an object"
        case _:
            return f"a {type(value).__name__}"
