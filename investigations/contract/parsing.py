"""The written policy by which a model's text is read. Pure.

Read is one JSON object and nothing else: a single code fence around it is tolerated, words before or after
it are not. A name given twice, NaN, an infinity, a second object, another case of an enum's word or an
unknown field make the whole text invalid, and nothing is guessed. NUL and lone surrogates become U+FFFD. A
text that its server cut off is invalid even where it parses. What is wrong is said for the model to read.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from assay_core import strictjson
from toolbox import schemas
from toolbox.values import Cleaner, ValueUnreadable

_FENCE = re.compile(r"```(?:json|JSON)?[ \t]*\r?\n(?P<inside>.*?)\r?\n?```", re.DOTALL)
_LONGEST = 200_000
_QUOTED = 60


class Unparsable(ValueError):
    """A text is not what was asked for; `complaints` are sentences for whoever wrote it."""

    def __init__(self, complaints: list[str]) -> None:
        super().__init__(" ".join(complaints))
        self.complaints = complaints


def one_object(text: str) -> dict[str, Any]:
    """Return the one JSON object that a text holds; raise Unparsable that says what else it is."""
    bare = _without_fence(text.strip())
    if not bare:
        raise Unparsable(["The reply holds no text. Answer with the one JSON object."])
    if len(bare) > _LONGEST:
        raise Unparsable([f"The reply has {len(bare)} characters; at most {_LONGEST} are read."])
    value = _decoded(bare)
    if not isinstance(value, dict):
        raise Unparsable([f"The reply is JSON, but {strictjson.kind_of(value)} and not an object."])
    try:
        cleaned: dict[str, Any] = Cleaner().clean(value)
    except ValueUnreadable as error:
        raise Unparsable([f"The JSON can't be read: {error}."]) from None
    return cleaned


def held_to(schema: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the one object of a text that the schema accepts; raise Unparsable with each complaint."""
    value = one_object(text)
    wrong = schemas.complaints(value, schema)
    if wrong:
        raise Unparsable(wrong)
    return value


def arguments(text: str, declared: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a tool call; raise Unparsable.

    No text is accepted only for a tool that takes nothing. A text that was encoded twice is decoded twice.
    Nothing in them is put as something else, since that would be another question: half of a character is
    as little an argument as NUL.
    """
    if not text.strip():
        if declared.get("properties"):
            raise Unparsable(["The call came without arguments."])
        return {}
    value = _decoded(text.strip())
    if isinstance(value, str):
        value = _decoded(value.strip())
    if not isinstance(value, dict):
        raise Unparsable([f"The arguments are {strictjson.kind_of(value)} and not an object."])
    cleaner = Cleaner()
    try:
        cleaner.clean(value)
    except ValueUnreadable as error:
        raise Unparsable([f"The arguments can't be read: {error}."]) from None
    if cleaner.replaced:
        raise Unparsable(["The arguments hold NUL or half of a character."])
    return value


def is_fenced(text: str) -> bool:
    """Return whether a text is one code fence, which is tolerated."""
    found = _FENCE.fullmatch(text.strip())
    return found is not None and "\n```" not in found["inside"]


def _without_fence(text: str) -> str:
    found = _FENCE.fullmatch(text)
    return found["inside"].strip() if found and is_fenced(text) else text


def _decoded(text: str) -> Any:
    try:
        return json.loads(
            text,
            object_pairs_hook=strictjson.without_doubles,
            parse_constant=strictjson.no_number,
            parse_float=strictjson.finite,
        )
    except json.JSONDecodeError as error:
        raise Unparsable([_where(text, error)]) from None
    except RecursionError:
        raise Unparsable(["The JSON is nested too deeply to be read."]) from None
    except ValueError as error:
        raise Unparsable([f"The JSON is not accepted: {error}."]) from None


def _where(text: str, error: json.JSONDecodeError) -> str:
    if error.msg == "Extra data":
        more = text[error.pos : error.pos + _QUOTED]
        return f"After the JSON something follows that begins with {more!r}. Send one object, no other word."
    if not text.startswith(("{", "[", '"')):
        return f"The reply begins with {text[:_QUOTED]!r}. Send the JSON alone, without words around it."
    return f"The reply is not JSON: {error.msg} (line {error.lineno}, column {error.colno})."
