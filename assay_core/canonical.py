"""Canonical JSON: one form for entries, digests and replays."""

import hashlib
import json
import math
from typing import Any

# Python refuses to write integers of more than 4,300 digits; that is 14,284 bits.
_LONGEST_INTEGER = 14_000
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
_TEXT_ALONE = frozenset({str})
_QUIET = frozenset({str, float, bool, type(None)})


class NotCanonical(ValueError):
    """A value has no canonical form; the message says where and why."""


def canonical(value: Any) -> str:
    """Return the one text of a JSON value: sorted keys, no spaces, ASCII-escaped.

    Raises NotCanonical for NaN, infinities, keys that are not text, lone surrogates
    and values that JSON does not know.
    """
    try:
        text = _ENCODER.encode(value)
        is_plain = _holds_plain_types(value) and "\\ud" not in text
    except (ValueError, TypeError, RecursionError):
        is_plain = False
    if not is_plain:
        _refuse_strangers(value, "$")
        text = _ENCODER.encode(value)
    return text


def digest(value: Any) -> str:
    """Return the SHA-256 of the canonical text as 64 lower-case hex digits."""
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


def _holds_plain_types(value: Any) -> bool:
    """Say whether a value, known to end, holds JSON's own types alone, and no long integer.

    One way through all of it without a word for where: most values need none.
    """
    waiting = [(value,)]
    while waiting:
        for item in waiting.pop():
            kind = type(item)
            if kind is dict:
                if not _TEXT_ALONE.issuperset(map(type, item)):
                    return False
                waiting.append(item.values())
            elif kind is list or kind is tuple:
                waiting.append(item)
            elif kind is int:
                if item.bit_length() > _LONGEST_INTEGER:
                    return False
            elif kind not in _QUIET:
                return False
    return True


def _refuse_strangers(value: Any, path: str) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise NotCanonical(f"{path}: the key {key!r} is not text")
            _refuse_strangers(key, f"{path} (key)")
            _refuse_strangers(item, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _refuse_strangers(item, f"{path}[{index}]")
    else:
        complaint = _complaint(value)
        if complaint:
            raise NotCanonical(f"{path}: {complaint}")


def _complaint(value: Any) -> str:
    """Say why a value that holds no others has no canonical form."""
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        has_surrogate = not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value)
        return "a lone surrogate has no canonical form" if has_surrogate else ""
    if isinstance(value, int):
        bits = value.bit_length()
        return f"an integer of {bits} bits is too long to be written" if bits > _LONGEST_INTEGER else ""
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{value} is not a JSON number"
    return f"{type(value).__name__} is not a JSON type"
