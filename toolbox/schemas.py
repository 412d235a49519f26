"""JSON Schemas (Draft 2020-12) that reach no network, and what is wrong with a value in one sentence."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing import Registry

from assay_core.instants import NotAnInstant, from_text
from toolbox import plainly
from toolbox.schemawords import SchemaUnusable, check_schema

__all__ = ["SchemaUnusable", "check_schema", "complaint", "complaints"]

_FORMATS = FormatChecker(formats=())
_LONGEST = 200
_QUOTED = 80


@_FORMATS.checks("date-time")
def _is_instant(value: object) -> bool:
    if not isinstance(value, str):
        return True
    try:
        from_text(value)
    except NotAnInstant:
        return False
    return True


def _is_integer(_checker: object, value: object) -> bool:
    # JSON Schema calls 1.0 an integer; recorded arguments are compared, so 1 and 1.0 must not both be one.
    return isinstance(value, int) and not isinstance(value, bool)


def _matches(_validator: object, pattern: str, value: object, _schema: object) -> Iterator[ValidationError]:
    # In ECMAScript, whose patterns JSON Schema means, $ is the very end; Python's lets a newline follow.
    if isinstance(value, str) and not re.search(plainly.at_the_very_end(pattern), value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


_Validator: Any = extend(  # type: ignore[no-untyped-call]  # jsonschema has no types here
    Draft202012Validator,
    {"pattern": _matches},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer),
)


# By identity, beside the schema itself: so no other can come to stand under its number.
_made: dict[int, tuple[Mapping[str, Any], Any, plainly.Check]] = {}
_MOST_MADE = 1_000


def _validator(schema: Mapping[str, Any]) -> tuple[Any, plainly.Check]:
    """Return the validator of a schema, and a quick yes; made once: a schema that is loaded never changes."""
    kept = _made.get(id(schema))
    if kept is not None and kept[0] is schema:
        return kept[1:]
    made = _Validator(schema, registry=Registry(), format_checker=_FORMATS)
    if len(_made) >= _MOST_MADE:
        _made.clear()
    _made[id(schema)] = kept = schema, made, plainly.check_of(schema, _is_instant)
    return kept[1:]


def complaint(value: Any, schema: Mapping[str, Any]) -> str:
    """Return what is wrong with the value, first things first, or an empty text."""
    return next(iter(complaints(value, schema, most=1)), "")


def complaints(value: Any, schema: Mapping[str, Any], *, most: int = 8) -> list[str]:
    """Return each thing that is wrong with the value, first things first, at most so many."""
    validator, is_plainly_so = _validator(schema)
    if is_plainly_so(value) or validator.is_valid(value):
        return []
    errors = sorted(validator.iter_errors(value), key=lambda error: (len(error.absolute_path), error.message))
    return [_in_words(error) for error in errors[:most]]


def _in_words(error: Any) -> str:
    place = ".".join(str(part) for part in error.absolute_path)
    message = error.message
    if len(message) > _LONGEST:  # it begins with the value, and what is wrong with that comes last
        message = f"{message[:_QUOTED]}…{message[_QUOTED + 1 - _LONGEST :]}"
    return f"{place}: {message}" if place else message
