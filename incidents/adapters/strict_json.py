"""Strict JSON: what two readers could understand differently is not read at all."""

import json
from typing import Any

from assay_core import strictjson
from toolbox import redaction

_GZIP = b"\x1f\x8b"


class NotReadable(ValueError):
    """The bytes are not JSON that can be read in only one way; the message says why."""


def read_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object in the bytes.

    Raises NotReadable for anything but one object, NaN and infinities, a name given twice,
    and nesting that is too deep to follow.
    """
    if body.startswith(_GZIP):
        raise NotReadable("The body is compressed with gzip. Have it sent as it is.")
    try:
        value = json.loads(
            body,
            parse_constant=strictjson.no_number,
            parse_float=strictjson.finite,
            object_pairs_hook=_once,
        )
    except NotReadable:
        raise
    except RecursionError:
        raise NotReadable("The body is nested too deeply to be read.") from None
    except UnicodeDecodeError as error:
        raise NotReadable(f"The body is not text: byte {error.start} is not {error.encoding}.") from None
    except json.JSONDecodeError as error:
        raise NotReadable(
            f"The body is not JSON: {error.msg} (line {error.lineno}, column {error.colno})."
        ) from None
    except ValueError as error:  # such as NaN, or a number of thousands of digits
        raise NotReadable(f"The body is not JSON that can be read: {error}.") from None
    if not isinstance(value, dict):
        raise NotReadable(f"The body is JSON but not an object: {strictjson.kind_of(value)}.")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    whole = dict(pairs)
    if len(whole) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise NotReadable(f"The body names {redaction.cut(name, 80)!r} twice in one object.")
            seen.add(name)
    return whole
