"""Canonical JSON: one form for entries, digests and replays."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any


class NotCanonical(ValueError):
    """A value has no canonical form; the message says where and why."""


def canonical(value: Any) -> str:
    """Return the one text of a JSON value: sorted keys, no spaces, ASCII-escaped.

    Raises NotCanonical for NaN, infinities, keys that are not text, lone surrogates
    and values that JSON does not know.
    """
    _refuse_strangers(value, "$")
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def digest(value: Any) -> str:
    """Return the SHA-256 of the canonical text as 64 lower-case hex digits."""
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


def _refuse_strangers(value: Any, path: str) -> None:
    if value is None or isinstance(value, bool | int):
        return
    if isinstance(value, str):
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise NotCanonical(f"{path}: a lone surrogate has no canonical form")
    elif isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise NotCanonical(f"{path}: {value} is not a JSON number")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise NotCanonical(f"{path}: the key {key!r} is not text")
            _refuse_strangers(key, f"{path} (key)")
            _refuse_strangers(item, f"{path}.{key}")
    elif isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        for index, item in enumerate(value):
            _refuse_strangers(item, f"{path}[{index}]")
    else:
        raise NotCanonical(f"{path}: {type(value).__name__} is not a JSON type")
