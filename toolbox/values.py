"""Values as a result may hold them: text that is text, numbers that every reader reads alike."""

import json
import math
from collections.abc import Mapping
from typing import Any

from assay_core.strictjson import no_number

_SAFE_INTEGER = 2**53
_DEEPEST = 64
_UNWANTED = {0: "\ufffd", **dict.fromkeys(range(0xD800, 0xE000), "\ufffd")}


class ValueUnreadable(ValueError):
    """A value cannot be held by a result; the message says why."""


class Cleaner:
    """Brings values into the form of results and counts, in `replaced`, what it had to put as other text."""

    __slots__ = ("replaced",)

    def __init__(self) -> None:
        self.replaced = 0

    def clean(self, value: Any, depth: int = 0) -> Any:
        """Return the value as a result may hold it: integers beyond 2^53, NaN and infinities become text.

        NUL and lone surrogates are replaced. Raises ValueUnreadable for deep nesting and for what is no JSON.
        """
        if depth > _DEEPEST:
            raise ValueUnreadable(f"a value is nested deeper than {_DEEPEST} levels")
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int):
            return value if -_SAFE_INTEGER <= value <= _SAFE_INTEGER else str(value)
        if isinstance(value, float):
            return self._number(value)
        if isinstance(value, Mapping):
            cleaned = {self._text(str(key)): self.clean(item, depth + 1) for key, item in value.items()}
            if len(cleaned) < len(value):
                raise ValueUnreadable("two keys of a value become one")
            return cleaned
        if isinstance(value, list | tuple):
            return [self.clean(item, depth + 1) for item in value]
        raise ValueUnreadable(f"a value is of the type {type(value).__name__}")

    def _text(self, text: str) -> str:
        cleaned = text.translate(_UNWANTED) if "\x00" in text or not is_sendable(text) else text
        if cleaned != text:
            self.replaced += sum(1 for old, new in zip(text, cleaned, strict=True) if old != new)
        return cleaned

    def _number(self, number: float) -> float | str:
        if math.isfinite(number):
            return number
        self.replaced += 1
        return "NaN" if math.isnan(number) else ("Infinity" if number > 0 else "-Infinity")


def strict_json(text: str | bytes) -> Any:
    """Read JSON; raise ValueUnreadable for what JSON does not know, NaN and the infinities included.

    An object that says two things under one key is none: of two readers each would believe another one.
    """
    try:
        return _DECODER.decode(text if isinstance(text, str) else text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueUnreadable(f"not JSON: {type(error).__name__}") from None


def _agreeing(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    # By what is written, as True equals 1.
    if len(found) < len(pairs) and any(repr(found[key]) != repr(value) for key, value in pairs):
        raise ValueError("one key with two values")
    return found


# One for all: json.loads would make a decoder for every line of a log.
_DECODER = json.JSONDecoder(parse_constant=no_number, object_pairs_hook=_agreeing)


def is_storable(text: str) -> bool:
    """Whether PostgreSQL can hold a text: one with NUL or a lone surrogate it cannot."""
    return "\0" not in text and is_sendable(text)


def is_sendable(text: str) -> bool:
    """Whether a text can be written as UTF-8: one with a lone surrogate cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
