"""A quick yes to values that plainly are as a JSON Schema says. Pure.

Most values are. What is not plainly right, or stands under a keyword that is not known here, gets no yes, and
is looked at by the whole validator: so a yes here must mean one there, and a no means nothing.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

Check = Callable[[Any], bool]
_Maker = Callable[[Mapping[str, Any], Check], Check]
_IGNORED = frozenset({"$schema", "$comment", "title", "description", "default", "examples"})
_TYPES: Mapping[str, frozenset[type]] = {
    "object": frozenset({dict}),
    "array": frozenset({list}),
    "string": frozenset({str}),
    "boolean": frozenset({bool}),
    "null": frozenset({type(None)}),
    "integer": frozenset({int}),
    "number": frozenset({int, float}),
}


class _Unknown(Exception):
    """A keyword is not known here."""


def check_of(schema: Mapping[str, Any], is_instant: Check) -> Check:
    """Return what says yes to values that are as the schema says; `is_instant` looks at date-times."""
    try:
        return _made(schema, is_instant)
    except (_Unknown, TypeError, KeyError, re.error):
        return lambda value: False


def _made(schema: Any, is_instant: Check) -> Check:
    if schema is True:
        return lambda value: True
    if not isinstance(schema, Mapping):
        raise _Unknown
    known = {*_IGNORED, *_KEYWORDS, "additionalProperties"}
    if not known.issuperset(schema) or ("additionalProperties" in schema and "properties" not in schema):
        raise _Unknown
    checks = [_KEYWORDS[name](schema, is_instant) for name in schema if name in _KEYWORDS]
    if len(checks) == 1:
        return checks[0]

    def check(value: Any) -> bool:
        for each in checks:  # noqa: SIM110 a generator takes as long again as the checks do
            if not each(value):
                return False
        return True

    return check


def _type(schema: Mapping[str, Any], _: Check) -> Check:
    named = schema["type"]
    kinds = frozenset[type]().union(
        *(_TYPES[name] for name in ([named] if isinstance(named, str) else named))
    )
    return lambda value: type(value) in kinds


def _enum(schema: Mapping[str, Any], _: Check) -> Check:
    words = frozenset(word for word in schema["enum"] if isinstance(word, str))
    return lambda value: type(value) is str and value in words


def _required(schema: Mapping[str, Any], _: Check) -> Check:
    names = frozenset(schema["required"])
    return lambda value: type(value) is not dict or names <= value.keys()


def _properties(schema: Mapping[str, Any], is_instant: Check) -> Check:
    checks = {name: _made(part, is_instant) for name, part in schema["properties"].items()}
    rest = schema.get("additionalProperties", True)
    other = (lambda value: False) if rest is False else _made(rest, is_instant)

    def check(value: Any) -> bool:
        if type(value) is not dict:
            return True
        for name, item in value.items():  # noqa: SIM110 as above
            if not checks.get(name, other)(item):
                return False
        return True

    return check


def _items(schema: Mapping[str, Any], is_instant: Check) -> Check:
    each = _made(schema["items"], is_instant)
    return lambda value: type(value) is not list or all(map(each, value))


def _sized(kind: type[str] | type[list[Any]], name: str, *, least: bool) -> _Maker:
    def made(schema: Mapping[str, Any], _: Check) -> Check:
        edge = schema[name]
        if least:
            return lambda value: type(value) is not kind or bool(len(value) >= edge)
        return lambda value: type(value) is not kind or bool(len(value) <= edge)

    return made


def _minimum(schema: Mapping[str, Any], _: Check) -> Check:
    edge = schema["minimum"]
    return lambda value: type(value) not in _TYPES["number"] or value >= edge


def _maximum(schema: Mapping[str, Any], _: Check) -> Check:
    edge = schema["maximum"]
    return lambda value: type(value) not in _TYPES["number"] or value <= edge


# What is escaped, or one of a class of characters, is no end.
_DOLLAR = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)


@cache
def at_the_very_end(pattern: str) -> str:
    """Return a pattern of a schema for Python, whose $ lets a newline follow: there it is the very end."""
    return _DOLLAR.sub(lambda found: r"\Z" if found[0] == "$" else found[0], pattern)


def _pattern(schema: Mapping[str, Any], _: Check) -> Check:
    found = re.compile(at_the_very_end(schema["pattern"])).search
    return lambda value: type(value) is not str or found(value) is not None


def _format(schema: Mapping[str, Any], is_instant: Check) -> Check:
    return is_instant if schema["format"] == "date-time" else lambda value: True


_KEYWORDS: Mapping[str, _Maker] = {
    "type": _type,
    "enum": _enum,
    "required": _required,
    "properties": _properties,
    "items": _items,
    "minItems": _sized(list, "minItems", least=True),
    "maxItems": _sized(list, "maxItems", least=False),
    "minLength": _sized(str, "minLength", least=True),
    "maxLength": _sized(str, "maxLength", least=False),
    "minimum": _minimum,
    "maximum": _maximum,
    "pattern": _pattern,
    "format": _format,
}
