"""The canonical text of RFC 8785 and its SHA-256. Fractions are refused, so that no number has two forms."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_LARGEST = 2**53 - 1  # beyond it, RFC 8785 writes numbers that JSON readers do not agree on


class NotDigestible(ValueError):
    """A value has no place in a digest; the message says where and why."""


def text_of(value: Any) -> str:
    """Return the canonical text of RFC 8785 for a value without fractions. Raises NotDigestible."""
    return json.dumps(_ordered(value, "$"), separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_of(value: Any) -> str:
    """Return the SHA-256 of the canonical text as 64 lower-case hex digits. Raises NotDigestible."""
    return digest_of_text(text_of(value))


def digest_of_text(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes; a text that has none equals no digest."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _ordered(value: Any, path: str) -> Any:
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise NotDigestible(f"{path}: the key {key!r} is not text")
            _refuse_text(key, path)
        # RFC 8785 sorts by UTF-16 code units, which differs from code points beyond the first plane.
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return {key: _ordered(value[key], f"{path}.{key}") for key in keys}
    if isinstance(value, list | tuple):
        return [_ordered(item, f"{path}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, str):
        _refuse_text(value, path)
        return str(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if abs(value) > _LARGEST:
            raise NotDigestible(f"{path}: {value} is beyond 2^53: write it as text")
        return int(value)
    raise NotDigestible(f"{path}: {type(value).__name__} has no place in a digest: write it as text")


def _refuse_text(value: str, path: str) -> None:
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise NotDigestible(f"{path}: a lone surrogate has no canonical form")
